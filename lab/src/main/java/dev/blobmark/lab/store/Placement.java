package dev.blobmark.lab.store;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where the values of a store lie, and what the server did to them, as far as it reports that.
 *
 * @param compression blocks that the server compressed while the table was loaded; empty where it has none
 * @param memoryBytes that the store occupies permanently; empty where the buffer pool decides
 * @param inRow how many values lie wholly in their row
 * @param parts where the rest of the other values lies; empty where there is no table of parts
 */
public record Placement(
        Optional<BlockCompression> compression,
        OptionalLong memoryBytes,
        OptionalLong inRow,
        Optional<PartsTable> parts) {

    /** Nothing is reported. */
    public static final Placement UNKNOWN =
            new Placement(Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.empty());

    /** The same without what was compressed meanwhile. */
    public Placement withoutCompression() {
        return new Placement(Optional.empty(), memoryBytes, inRow, parts);
    }

    public Placement {
        Objects.requireNonNull(compression, "compression");
        Objects.requireNonNull(memoryBytes, "memory_bytes");
        Objects.requireNonNull(inRow, "in_row");
        Objects.requireNonNull(parts, "parts");
    }
}
