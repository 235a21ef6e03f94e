package dev.blobmark.reencode.check;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.blobmark.reencode.row.Before;
import java.util.List;
import java.util.Optional;

/**
 * What a change would do, before anything is written. As JSON it is one object with the fields of all parts.
 *
 * @param dependents what else reads the column, a line each
 * @param readers that announced themselves
 * @param problems reasons why it cannot begin, with the remedies
 * @param remarks facts for the user
 * @param underWay what was begun before, if anything
 */
public record Preview(
        @JsonUnwrapped Subject subject,
        @JsonUnwrapped Amount amount,
        @JsonUnwrapped Cost cost,
        List<String> dependents,
        List<String> readers,
        List<String> problems,
        List<String> remarks,
        Optional<String> underWay) {

    /**
     * What would be changed.
     *
     * @param column name
     * @param before how values are stored now
     * @param to the target
     * @param isCopy whether rows are copied to a new table
     * @param type of the column
     */
    public record Subject(String column, Before before, String to, boolean isCopy, String type) {}

    /**
     * How much.
     *
     * @param rows estimate
     * @param tableBytes of the table on disk without its indexes, as the server estimates
     * @param tableBytesAfter then, when it is rebuilt; a copy is
     * @param sampled values of the sample
     * @param bytes stored bytes of all values now, extrapolated
     * @param bytesAfter stored bytes of all values then
     * @param share of the rows that would be changed, 0 to 1
     * @param originals share of the values whose former bytes would be kept, 0 to 1
     */
    public record Amount(
            long rows,
            long tableBytes,
            double tableBytesAfter,
            int sampled,
            double bytes,
            double bytesAfter,
            double share,
            double originals) {}

    /**
     * What it would take.
     *
     * @param rowImage what the binary log has of a row: {@code FULL} and others, {@code NONE} without a log
     * @param binlogBytes that the change would write to the binary log
     * @param seconds with its throttle, roughly: servers differ
     */
    public record Cost(String rowImage, double binlogBytes, double seconds) {}
}
