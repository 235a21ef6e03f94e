package dev.blobmark.lab.store;

import com.fasterxml.jackson.annotation.JsonInclude;
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
        @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalLong memoryBytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalLong inRow,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Optional<PartsTable> parts) {

    /** Nothing is reported. */
    public static final Placement UNKNOWN =
            new Placement(Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.empty());

    /** The same without what was compressed meanwhile. */
    public Placement withoutCompression() {
        return new Placement(Optional.empty(), memoryBytes, inRow, parts);
    }

    public Placement {
        compression = compression == null ? Optional.empty() : compression;
        memoryBytes = memoryBytes == null ? OptionalLong.empty() : memoryBytes;
        inRow = inRow == null ? OptionalLong.empty() : inRow;
        parts = parts == null ? Optional.empty() : parts;
    }
}
