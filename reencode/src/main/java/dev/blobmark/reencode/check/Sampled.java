package dev.blobmark.reencode.check;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.table.BytesColumn;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.value.FrameException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.Set;

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
public record Sampled(
        int values,
        double meanBytes,
        double meanBytesAfter,
        double meanPageBytes,
        double meanPageBytesAfter,
        double changed,
        double originals,
        double valueShare,
        OptionalLong tableRows) {

    public static final Sampled NONE = new Sampled(0, 0, 0, 0, 0, 0, 0, 0, OptionalLong.empty());

    /** Of a page, less what it has besides the part of a value. */
    private static final int PAGE_HEADER = 46;

    /** Size of a table ÷ that of its rows: a sixteenth of a page stays free, and what is left at its end. */
    private static final double OF_FULL_PAGES = 1.12;

    /** Of a value that is stored on pages of its own, in the row. */
    private static final int POINTER = 20;

    /** @param pageBytes size of a page of the server */
    public static Sampled of(TableColumn.Sample sample, byte[] file, Conversion conversion, int pageBytes) {
        double bytes = 0;
        double after = 0;
        double pages = 0;
        double pagesAfter = 0;
        int changed = 0;
        int originals = 0;
        for (TableColumn.Row row : sample.rows()) {
            byte[] stored = Arrays.copyOfRange(file, (int) row.offset(), (int) row.offset() + row.bytes());
            Conversion.Result result = converted(stored, conversion);
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

    private static Conversion.Result converted(byte[] stored, Conversion conversion) {
        try {
            return conversion.convert(stored);
        } catch (FrameException e) {
            throw new UnreadableException(stored, e);
        }
    }

    /** A value of the sample that cannot be decoded. */
    public static final class UnreadableException extends RuntimeException {

        private static final long serialVersionUID = 1;
        private static final int SHOWN_BYTES = 16;

        /** ER_QUERY_TIMEOUT of MySQL, ER_STATEMENT_TIMEOUT of MariaDB. */
        private static final Set<Integer> TIMEOUT = Set.of(3024, 1969);

        private final transient byte[] stored;

        UnreadableException(byte[] stored, FrameException cause) {
            super(cause);
            this.stored = stored;
        }

        /** With the key of its row, which is looked for in as much time as the connection allows a statement. */
        public String inWords(Connection connection, TableColumn column, TableKey key, String type)
                throws SQLException {
            FrameException cause = (FrameException) getCause();
            return column.name() + ", " + place(connection, column, key, type) + ": the value cannot be read: "
                    + cause.getMessage() + Conversion.remedy(cause);
        }

        private String place(Connection connection, TableColumn column, TableKey key, String type) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement("SELECT " + key.selected() + " FROM "
                    + Names.quoted(column.schema(), column.table()) + " WHERE " + BytesColumn.value(column, type)
                    + " = ? LIMIT 1")) {
                select.setBytes(1, stored);
                try (ResultSet row = select.executeQuery()) {
                    if (row.next()) {
                        return "key " + String.join(", ", key.texts(key.read(row, 1)));
                    }
                }
            } catch (SQLException e) {
                if (!TIMEOUT.contains(e.getErrorCode())) {
                    throw e;
                }
            }
            return "a row whose value has " + stored.length + " bytes and begins with X'"
                    + HexFormat.of().formatHex(stored, 0, Math.min(SHOWN_BYTES, stored.length)) + "'";
        }
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

    public long rows(long serverEstimate) {
        return tableRows.orElse(Math.max(values, serverEstimate));
    }
}
