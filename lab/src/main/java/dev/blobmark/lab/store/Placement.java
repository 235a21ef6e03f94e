package dev.blobmark.lab.store;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a server stores the values, and how often it compressed them, as far as it reports that.
 *
 * @param compression of blocks while the table was loaded; empty if it has no compressed blocks
 * @param memoryBytes that the store takes permanently; empty if that depends on the buffer pool
 * @param inRow how many values are stored entirely in their rows
 * @param parts the table with the rest of the other values; empty if there is none
 */
public record Placement(
        Optional<BlockCompression> compression,
        OptionalLong memoryBytes,
        OptionalLong inRow,
        Optional<PartsTable> parts) {

    /** Nothing is reported. */
    public static final Placement UNKNOWN =
            new Placement(Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.empty());

    /** This placement without {@link #compression}. */
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
