package dev.blobmark.reencode;

import dev.blobmark.lab.dataset.TableColumn;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * What a change would do with the values of a sample.
 *
 * @param values that were converted
 * @param meanBytes stored bytes of a value
 * @param meanBytesAfter then
 * @param changed share of the values whose bytes would change
 * @param originals share of the values whose former bytes would be kept
 * @param valueShare share of the rows that have a value: not NULL, and not empty
 * @param tableRows of the table, counted or estimated from the sample
 */
record Sampled(
        int values,
        double meanBytes,
        double meanBytesAfter,
        double changed,
        double originals,
        double valueShare,
        OptionalLong tableRows) {

    static final Sampled NONE = new Sampled(0, 0, 0, 0, 0, 0, OptionalLong.empty());

    static Sampled of(TableColumn.Sample sample, byte[] file, Conversion conversion) {
        double bytes = 0;
        double after = 0;
        int changed = 0;
        int originals = 0;
        for (TableColumn.Row row : sample.rows()) {
            byte[] stored = Arrays.copyOfRange(file, (int) row.offset(), (int) row.offset() + row.bytes());
            Conversion.Result result = conversion.convert(stored);
            bytes += stored.length;
            after += result.stored().length;
            changed += Arrays.equals(stored, result.stored()) ? 0 : 1;
            originals += result.isOriginalKept() ? 1 : 0;
        }
        int values = sample.rows().size();
        return new Sampled(
                values,
                bytes / values,
                after / values,
                (double) changed / values,
                (double) originals / values,
                (double) values
                        / (values
                                + sample.skipped().getOrDefault("NULL", 0)
                                + sample.skipped().getOrDefault("empty", 0)),
                sample.whole().tableRows());
    }

    long rows(long serverEstimate) {
        return tableRows.orElse(Math.max(values, serverEstimate));
    }
}
