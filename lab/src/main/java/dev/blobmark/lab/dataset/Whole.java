package dev.blobmark.lab.dataset;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Everything that a source of the user's own has, of which the measured values may be a sample.
 *
 * @param values that could be measured; of a table that was not read whole, its rows times the share of the sampled rows that had one
 * @param bytes of these values together; of a table that was not read whole, the same of the sampled rows
 * @param isEstimated whether values and bytes are estimates, and not counted
 * @param tableRows what the server says of the table ({@code TABLE_ROWS}), for InnoDB an estimate; empty for files
 * @param tableBytes what its rows take, all columns together ({@code DATA_LENGTH}), for InnoDB an estimate; empty for files
 * @param columnType of the column, as the server describes it; empty for files
 */
public record Whole(
        long values,
        long bytes,
        boolean isEstimated,
        OptionalLong tableRows,
        OptionalLong tableBytes,
        Optional<String> columnType) {

    public Whole {
        if (values < 0 || bytes < 0) {
            throw new IllegalArgumentException(values + " values of " + bytes + " bytes are not possible");
        }
    }

    /** All values of files, which are counted. */
    static Whole counted(long values, long bytes) {
        return new Whole(values, bytes, false, OptionalLong.empty(), OptionalLong.empty(), Optional.empty());
    }
}
