package dev.blobmark.mysql.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.commons.rng.simple.RandomSource;

/** Statements that together read all rows of a column's table, each of them once. */
public final class WholeColumn {

    /** What is read within about a second, so that the server keeps no old view of the table for longer. */
    public static final long PART_BYTES = 32 << 20;

    /** Finding the keys between more parts would take minutes. */
    private static final int MAX_PARTS = 16_384;

    private static final long SEED = 1;

    private WholeColumn() {}

    /**
     * A part of the table.
     *
     * @param sql selects the length of each value, and the value, or NULL where it has more than
     *     {@value TableColumn#MAX_BYTES} bytes or more than the server sends
     * @param parameters numbers, texts and bytes
     */
    public record TablePart(String sql, List<Object> parameters) {}

    /**
     * Divides a table by its key into parts of similar numbers of rows, by the server's own estimates.
     *
     * @param partBytes size of a part, about
     * @return in the order of the key; none if the table is empty
     * @throws dev.blobmark.mysql.table.DatasetException if there is no such column, it cannot be read, or the table has
     *     no key
     */
    public static List<TablePart> parts(Connection connection, TableColumn column, long partBytes) throws SQLException {
        ReadingSession session = ReadingSession.begin(connection);
        ColumnFacts facts = ColumnFacts.read(connection, column, session.isMariaDb());
        TableKey key = TableKey.forReading(connection, column);
        long bytes = facts.table().bytes().orElse(0);
        int wanted = (int) Math.max(1, Math.min(MAX_PARTS, bytes / partBytes));
        List<TableKey.Range> ranges = new ArrayList<>();
        Optional<List<Object>> after = Optional.empty();
        for (List<Object> bound : KeyBounds.of(
                connection, key, wanted, RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {SEED, wanted}))) {
            ranges.add(key.between(after, bound));
            after = Optional.of(bound);
        }
        ranges.add(after.map(key::after).orElseGet(key::all));
        long maxBytes = session.longestValue();
        String select = "SELECT " + facts.length() + ", IF(" + facts.length() + " <= " + maxBytes + ", " + facts.value()
                + ", NULL)";
        return ranges.stream()
                .map(range -> new TablePart(select + range.sql(), range.objects()))
                .toList();
    }
}
