package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.checkpoint.Differences.Difference;
import dev.blobmark.reencode.checkpoint.Differences.Fate;
import dev.blobmark.reencode.checkpoint.RowContent;
import dev.blobmark.reencode.copy.View;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowDigest;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.Sum;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.throttle.Throttle;
import dev.blobmark.value.FrameException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Compares two tables row by row, each as it was in a view. */
final class Comparison {

    /** Up to this number of rows are brought over, whatever the size of the table. */
    private static final int FEW = 10;

    /** A larger share of the rows is no lost change, but a table that somebody emptied or filled. */
    private static final double MOST_SHARE = 0.001;

    static final int MOST = 1_000;

    /** Versions of rows that the server keeps for the views, and would have deleted without them. */
    private static final long MOST_HISTORY = 5_000_000;

    private static final long HISTORY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ComparedTables tables;
    private final Throttle throttle;

    Comparison(ComparedTables tables, Throttle throttle) {
        this.tables = tables;
        this.throttle = throttle;
    }

    /** A view is lost, or costs the server too much. */
    static final class ViewLostException extends Exception {
        ViewLostException(String reason) {
            super(reason);
        }
    }

    /** What differed; of too many only some. */
    record Found(long rows, List<Difference> differences, boolean isTooMany) {}

    Found run(View old, View fresh) throws SQLException, InterruptedException, ViewLostException {
        try {
            return compared(old, fresh);
        } catch (SQLException e) {
            if (e.getErrorCode() == View.REBUILT || Failures.isConnectionLost(e)) {
                throw new ViewLostException(e.getMessage());
            }
            throw e;
        }
    }

    private Found compared(View old, View fresh) throws SQLException, InterruptedException, ViewLostException {
        TableKey key = tables.key();
        TableColumn former = tables.former();
        TableKey formerKey = tables.formerKey();
        RowReader formerReader = tables.formerRows(old.connection());
        RowReader freshReader = new RowReader(
                fresh.connection(), tables.column(), key, tables.limits().maxLength());
        // over another connection: the views of MySQL show the names of tables as they were too
        Map<String, String> texts = RowDigest.texts(tables.asking(), former);
        RowContent.Reader oldContents =
                new RowContent.Reader(old.connection(), former, formerKey, texts, tables.value());
        RowContent.Reader newContents = new RowContent.Reader(
                fresh.connection(),
                tables.column(),
                key,
                texts,
                Names.quoted(tables.column().column()));
        RowDigest digest = RowDigest.of(tables.asking(), former, formerKey);
        List<Difference> found = new ArrayList<>();
        long rows = 0;
        long history = history();
        long asked = System.nanoTime();
        boolean isTooMany = false;
        Optional<List<Object>> after = Optional.empty();
        while (true) {
            throttle.awaitPermission();
            long start = System.nanoTime();
            old.begin();
            fresh.begin();
            List<Row> formerRows = formerReader.next(after, Optional.empty(), Chunks.MAX_BYTES);
            Set<List<Object>> keys = new LinkedHashSet<>();
            if (formerRows.isEmpty()) {
                List<Row> surplus = freshReader.next(after, Optional.empty(), Chunks.MAX_BYTES);
                surplus.forEach(row -> keys.add(row.key()));
                after = surplus.isEmpty()
                        ? after
                        : Optional.of(surplus.get(surplus.size() - 1).key());
            } else {
                List<Object> last = formerRows.get(formerRows.size() - 1).key();
                keys.addAll(differing(formerRows, freshReader, longValues(old, fresh), after, last, isTooMany));
                if (!isTooMany) {
                    keys.addAll(othersDiffering(old, fresh, digest, after, last));
                }
                after = Optional.of(last);
            }
            rows += formerRows.size();
            for (List<Object> each : keys) {
                if (found.size() < MOST) {
                    found.add(new Difference(
                            key.texts(each), oldContents.read(each), newContents.read(each), Fate.FOUND));
                }
            }
            isTooMany |= found.size() >= MOST;
            old.end();
            fresh.end();
            if (formerRows.isEmpty() && keys.isEmpty()) {
                break;
            }
            if (System.nanoTime() - asked > HISTORY_NANOS) {
                asked = System.nanoTime();
                if (history() - history > MOST_HISTORY) {
                    throw new ViewLostException("the server keeps " + MOST_HISTORY + " old versions of rows for it");
                }
            }
            throttle.worked(System.nanoTime() - start, 0);
        }
        isTooMany |= found.size() > Math.max(FEW, rows * MOST_SHARE);
        return new Found(rows, found, isTooMany);
    }

    private long history() throws SQLException {
        return Sql.strings(
                        tables.asking(),
                        "SELECT count FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'")
                .stream()
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }

    /** Keys of rows that one table does not have, or whose values differ. */
    private Set<List<Object>> differing(
            List<Row> formerRows,
            RowReader reader,
            LongValues digests,
            Optional<List<Object>> after,
            List<Object> last,
            boolean isTooMany)
            throws SQLException {
        Set<List<Object>> keys = new LinkedHashSet<>();
        Map<List<Object>, Row> expected = new LinkedHashMap<>();
        formerRows.forEach(row -> expected.put(row.key(), row));
        Optional<List<Object>> begin = after;
        for (List<Row> freshRows = reader.next(begin, Optional.of(last), Chunks.MAX_BYTES);
                !freshRows.isEmpty() && !(isTooMany && keys.size() > MOST);
                freshRows = reader.next(begin, Optional.of(last), Chunks.MAX_BYTES)) {
            for (Row row : freshRows) {
                Row old = expected.remove(row.key());
                boolean isUnread = old != null && old.isTooLong() && row.isTooLong();
                if (old == null || (isUnread ? !digests.areSame(row.key()) : !isSame(old, row))) {
                    keys.add(row.key());
                }
            }
            begin = Optional.of(freshRows.get(freshRows.size() - 1).key());
        }
        keys.addAll(expected.keySet());
        return keys;
    }

    /** Compares values that are too long to be read; they were copied as they are. */
    private interface LongValues {
        boolean areSame(List<Object> of) throws SQLException;
    }

    private LongValues longValues(View old, View fresh) {
        return of -> sha256(old.connection(), tables.former(), tables.formerKey(), tables.value(), of)
                .equals(sha256(
                        fresh.connection(),
                        tables.column(),
                        tables.key(),
                        Names.quoted(tables.column().column()),
                        of));
    }

    private static Optional<String> sha256(
            Connection connection, TableColumn column, TableKey key, String value, List<Object> of)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT SHA2(" + value + ", 256) FROM "
                + Names.quoted(column.schema(), column.table()) + " WHERE " + key.condition())) {
            key.bind(select, 1, of);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
            }
        }
    }

    private boolean isSame(Row old, Row fresh) {
        if (old.stored().isEmpty() || fresh.stored().isEmpty()) {
            return old.stored().isEmpty() && fresh.stored().isEmpty() && old.length() == fresh.length();
        }
        try {
            return Arrays.equals(
                    tables.conversion().value(old.stored().get()),
                    tables.conversion().valueAfter(fresh.stored().get(), false));
        } catch (FrameException e) {
            return false;
        }
    }

    private Set<List<Object>> othersDiffering(
            View old, View fresh, RowDigest digest, Optional<List<Object>> after, List<Object> last)
            throws SQLException {
        TableKey key = tables.key();
        TableKey.Range formerRange = tables.formerKey().between(after, last);
        TableKey.Range freshRange = key.between(after, last);
        Sum ofFormer = digest.others(old.connection(), unordered(formerRange), formerRange::bind);
        Sum ofFresh = digest.others(fresh.connection(), unordered(freshRange), freshRange::bind);
        if (ofFormer.equals(ofFresh)) {
            return Set.of();
        }
        Map<List<Object>, Sum> left = new LinkedHashMap<>();
        digest.addOthers(old.connection(), key, unordered(formerRange), formerRange::bind, left);
        Map<List<Object>, Sum> right = new LinkedHashMap<>();
        digest.addOthers(fresh.connection(), key, unordered(freshRange), freshRange::bind, right);
        Set<List<Object>> keys = new HashSet<>(left.keySet());
        keys.addAll(right.keySet());
        keys.removeIf(each -> left.containsKey(each) && left.get(each).equals(right.get(each)));
        return keys;
    }

    private static String unordered(TableKey.Range range) {
        return range.sql().replaceAll(" ORDER BY .*$", "");
    }
}
