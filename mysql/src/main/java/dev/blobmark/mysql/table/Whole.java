package dev.blobmark.mysql.table;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * All values of a user's own source. The measured values may be a sample of them.
 *
 * @param values number of usable values; if a table was only sampled, its rows times the share of sampled rows with one
 * @param bytes of these values together; if a table was only sampled, extrapolated from the sampled rows
 * @param isEstimated whether values and bytes are estimated, not counted
 * @param tableRows rows of the table ({@code TABLE_ROWS}), an estimate of InnoDB; empty for files
 * @param tableBytes bytes of all columns of the table ({@code DATA_LENGTH}), an estimate of InnoDB; empty for files
 * @param columnType type of the column, as the server describes it; empty for files
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

    /** Counted values of files. */
    public static Whole counted(long values, long bytes) {
        return new Whole(values, bytes, false, OptionalLong.empty(), OptionalLong.empty(), Optional.empty());
    }
}
