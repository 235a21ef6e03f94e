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
 * @param meanPageBytes what a value takes of the pages of InnoDB
 * @param meanPageBytesAfter then
 * @param changed share of the values whose bytes would change
 * @param originals share of the values whose former bytes would be kept
 * @param valueShare share of the rows that have a value: not NULL, and not empty
 * @param tableRows of the table, counted or estimated from the sample
 */
record Sampled(
        int values,
        double meanBytes,
        double meanBytesAfter,
        double meanPageBytes,
        double meanPageBytesAfter,
        double changed,
        double originals,
        double valueShare,
        OptionalLong tableRows) {

    static final Sampled NONE = new Sampled(0, 0, 0, 0, 0, 0, 0, 0, OptionalLong.empty());

    /** Of a page, less what it has besides the part of a value. */
    private static final int PAGE_HEADER = 46;

    /** Size of a table ÷ that of its rows: a sixteenth of a page stays free, and what is left at its end. */
    private static final double OF_FULL_PAGES = 1.12;

    /** Of a value that is stored on pages of its own, in the row. */
    private static final int POINTER = 20;

    /** @param pageBytes size of a page of the server */
    static Sampled of(TableColumn.Sample sample, byte[] file, Conversion conversion, int pageBytes) {
        double bytes = 0;
        double after = 0;
        double pages = 0;
        double pagesAfter = 0;
        int changed = 0;
        int originals = 0;
        for (TableColumn.Row row : sample.rows()) {
            byte[] stored = Arrays.copyOfRange(file, (int) row.offset(), (int) row.offset() + row.bytes());
            Conversion.Result result = conversion.convert(stored);
            bytes += stored.length;
            after += result.stored().length;
            pages += onPages(stored.length, pageBytes);
            pagesAfter += onPages(result.stored().length, pageBytes);
            changed += Arrays.equals(stored, result.stored()) ? 0 : 1;
            originals += result.isOriginalKept() ? 1 : 0;
        }
        int values = sample.rows().size();
        return new Sampled(
                values,
                bytes / values,
                after / values,
                pages / values,
                pagesAfter / values,
                (double) changed / values,
                (double) originals / values,
                (double) values
                        / (values
                                + sample.skipped().getOrDefault("NULL", 0)
                                + sample.skipped().getOrDefault("empty", 0)),
                sample.whole().tableRows());
    }

    /** Rows of more than about half a page have their longest values on whole pages of their own. */
    private static long onPages(int length, int pageBytes) {
        int part = pageBytes - PAGE_HEADER;
        return length <= pageBytes / 2 - 200 ? length : POINTER + (long) pageBytes * ((length + part - 1) / part);
    }

    /**
     * Bytes of the table on disk when it is rebuilt. What values do not take is assumed to stay.
     *
     * @param tableBytes now
     * @param values that are stored
     */
    double tableBytesAfter(long tableBytes, double values) {
        double others = Math.max(0, tableBytes / OF_FULL_PAGES - meanPageBytes * values);
        return OF_FULL_PAGES * (others + meanPageBytesAfter * values);
    }

    long rows(long serverEstimate) {
        return tableRows.orElse(Math.max(values, serverEstimate));
    }
}
