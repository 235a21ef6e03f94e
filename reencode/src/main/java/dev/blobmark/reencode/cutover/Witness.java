package dev.blobmark.reencode.cutover;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.binlog.KeyReader;
import dev.blobmark.reencode.binlog.TableName;
import dev.blobmark.reencode.change.KeyColumns;
import dev.blobmark.reencode.change.LogFeed;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.change.LogSettings;
import dev.blobmark.reencode.checkpoint.Differences;
import dev.blobmark.reencode.checkpoint.Differences.Difference;
import dev.blobmark.reencode.checkpoint.Differences.Fate;
import dev.blobmark.reencode.checkpoint.RowContent;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.copy.ShadowTable;
import dev.blobmark.reencode.copy.View;
import dev.blobmark.reencode.failure.Failures;
import dev.blobmark.reencode.row.Chunks;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Rewriter;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowDigest;
import dev.blobmark.reencode.row.RowReader;
import dev.blobmark.reencode.row.Sum;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.ShadowNames;
import dev.blobmark.reencode.table.TableIdentity;
import dev.blobmark.reencode.terms.ReencodeListener;
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

/**
 * Compares the former table with the new one after the exchange, and so finds what the feed of changes has missed,
 * whoever caused it and however. Nobody writes the former table any more, and the new one is compared as it was when
 * the exchange began: later changes of the application are not looked at.
 *
 * <p>Two read views show that: one of the new table, opened under the last lock, before which only this process had
 * written to it; one of the former table, opened when the RENAME had returned. Where a view is lost, the {@link Sum} of
 * what was written to the new table is compared with the former one.
 */
public final class Witness {

    /**
     * A row does not fit into the table as it is now: a value of a UNIQUE column or a key of another table (1062, 1451,
     * 1452), a column that is gone (1054) or takes other values (1264, 1366, 1406), a CHECK (3819, MariaDB: 4025).
     */
    private static final Set<Integer> UNFIT = Set.of(1062, 1451, 1452, 1054, 1264, 1366, 1406, 3819, 4025);

    private static final int NO_SUCH_COLUMN = 1054;

    /** Up to this number of rows are brought over, whatever the size of the table. */
    private static final int FEW = 10;

    /** A larger share of the rows is no lost change, but a table that somebody emptied or filled. */
    private static final double MOST_SHARE = 0.001;

    static final int MOST = 1_000;

    /** Versions of rows that the server keeps for the views, and would have deleted without them. */
    private static final long MOST_HISTORY = 5_000_000;

    private static final long HISTORY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int ROWS_AT_ONCE = 1_000;

    private final Endpoint endpoint;
    private final TableColumn column;
    private final TableColumn former;
    private final TableKey key;
    private final TableKey formerKey;
    private final String value;
    private final Chunks.Limits limits;
    private final Conversion conversion;
    private final StateTable states;
    private final Throttle throttle;
    private final Connection asking;
    private final Differences differences;

    /**
     * @param key of the column's table
     * @param value expression for the stored bytes of the former table
     * @param asking a connection for short questions, in autocommit
     */
    Witness(
            Endpoint endpoint,
            TableColumn column,
            TableKey key,
            String value,
            Chunks.Limits limits,
            Conversion conversion,
            StateTable states,
            Throttle throttle,
            Connection asking) {
        this.endpoint = endpoint;
        this.column = column;
        this.key = key;
        this.value = value;
        this.limits = limits;
        this.conversion = conversion;
        this.states = states;
        this.throttle = throttle;
        this.asking = asking;
        former = TableColumn.of(column.schema(), ShadowNames.former(column.table()), column.column());
        formerKey = key.of(former.table());
        differences = new Differences(column);
    }

    /** A view is lost, or costs the server too much. */
    private static final class ViewLostException extends Exception {
        ViewLostException(String reason) {
            super(reason);
        }
    }

    /** What differed; of too many only some. */
    private record Found(long rows, List<Difference> differences, boolean isTooMany) {}

    /**
     * Compares the tables, and brings over what was lost.
     *
     * @param fresh view of the new table under the last lock; empty if a former process has made the exchange
     * @param working a connection for transactions
     */
    State run(State begin, Optional<View> fresh, Connection working, ReencodeListener listener)
            throws SQLException, InterruptedException {
        if (begin.copy().orElseThrow().verdict().isPresent()) {
            return begin; // decided, and lost before the change was ended
        }
        differences.create(asking);
        State state = begin;
        if (!differences.read(asking).isEmpty()) { // a former process has compared
            return repaired(state, working, new Found(0, differences.read(asking), false), true);
        }
        if (fresh.isPresent() && fresh.get().isReleasing()) {
            try (View old = View.open(JdbcDriver.connectForChanging(endpoint))) {
                Found found = compare(old, fresh.get());
                return repaired(state, working, found, true);
            } catch (ViewLostException e) {
                listener.noticeIssued("the former table is compared by its digest: " + e.getMessage());
            }
        }
        return byDigest(state, working);
    }

    private Found compare(View old, View fresh) throws SQLException, InterruptedException, ViewLostException {
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
        RowReader olds = new RowReader(old.connection(), former, formerKey, limits.maxLength(), value);
        RowReader news = new RowReader(fresh.connection(), column, key, limits.maxLength());
        // over another connection: the views of MySQL show the names of tables as they were too
        Map<String, String> texts = RowDigest.texts(asking, former);
        RowContent.Reader oldContents = new RowContent.Reader(old.connection(), former, formerKey, texts, value);
        RowContent.Reader newContents =
                new RowContent.Reader(fresh.connection(), column, key, texts, Names.quoted(column.column()));
        RowDigest digest = RowDigest.of(asking, former, formerKey);
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
            List<Row> some = olds.next(after, Optional.empty(), Chunks.MAX_BYTES);
            Set<List<Object>> keys = new LinkedHashSet<>();
            if (some.isEmpty()) {
                List<Row> surplus = news.next(after, Optional.empty(), Chunks.MAX_BYTES);
                surplus.forEach(row -> keys.add(row.key()));
                after = surplus.isEmpty()
                        ? after
                        : Optional.of(surplus.get(surplus.size() - 1).key());
            } else {
                List<Object> last = some.get(some.size() - 1).key();
                keys.addAll(differing(some, news, longValues(old, fresh), after, last, isTooMany));
                if (!isTooMany) {
                    keys.addAll(othersDiffering(old, fresh, digest, after, last));
                }
                after = Optional.of(last);
            }
            rows += some.size();
            for (List<Object> each : keys) {
                if (found.size() < MOST) {
                    found.add(new Difference(
                            key.texts(each), oldContents.read(each), newContents.read(each), Fate.FOUND));
                }
            }
            isTooMany |= found.size() >= MOST;
            old.end();
            fresh.end();
            if (some.isEmpty() && keys.isEmpty()) {
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
                        asking,
                        "SELECT count FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'")
                .stream()
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }

    /** Keys of rows that one table does not have, or whose values differ. */
    private Set<List<Object>> differing(
            List<Row> olds,
            RowReader reader,
            LongValues digests,
            Optional<List<Object>> after,
            List<Object> last,
            boolean isTooMany)
            throws SQLException {
        Set<List<Object>> keys = new LinkedHashSet<>();
        Map<List<Object>, Row> expected = new LinkedHashMap<>();
        olds.forEach(row -> expected.put(row.key(), row));
        Optional<List<Object>> begin = after;
        for (List<Row> news = reader.next(begin, Optional.of(last), Chunks.MAX_BYTES);
                !news.isEmpty() && !(isTooMany && keys.size() > MOST);
                news = reader.next(begin, Optional.of(last), Chunks.MAX_BYTES)) {
            for (Row row : news) {
                Row old = expected.remove(row.key());
                boolean isUnread = old != null && old.isTooLong() && row.isTooLong();
                if (old == null || (isUnread ? !digests.areSame(row.key()) : !isSame(old, row))) {
                    keys.add(row.key());
                }
            }
            begin = Optional.of(news.get(news.size() - 1).key());
        }
        keys.addAll(expected.keySet());
        return keys;
    }

    /** Compares values that are too long to be read; they were copied as they are. */
    private interface LongValues {
        boolean areSame(List<Object> of) throws SQLException;
    }

    private LongValues longValues(View old, View fresh) {
        return of -> sha256(old.connection(), former, formerKey, value, of)
                .equals(sha256(fresh.connection(), column, key, Names.quoted(column.column()), of));
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
                    conversion.value(old.stored().get()),
                    conversion.valueAfter(fresh.stored().get(), false));
        } catch (FrameException e) {
            return false;
        }
    }

    private Set<List<Object>> othersDiffering(
            View old, View fresh, RowDigest digest, Optional<List<Object>> after, List<Object> last)
            throws SQLException {
        TableKey.Range olds = formerKey.between(after, last);
        TableKey.Range news = key.between(after, last);
        Sum ofOlds = digest.others(old.connection(), unordered(olds), olds::bind);
        Sum ofNews = digest.others(fresh.connection(), unordered(news), news::bind);
        if (ofOlds.equals(ofNews)) {
            return Set.of();
        }
        Map<List<Object>, Sum> left = new LinkedHashMap<>();
        digest.addOthers(old.connection(), key, unordered(olds), olds::bind, left);
        Map<List<Object>, Sum> right = new LinkedHashMap<>();
        digest.addOthers(fresh.connection(), key, unordered(news), news::bind, right);
        Set<List<Object>> keys = new HashSet<>(left.keySet());
        keys.addAll(right.keySet());
        keys.removeIf(each -> left.containsKey(each) && left.get(each).equals(right.get(each)));
        return keys;
    }

    private static String unordered(TableKey.Range range) {
        return range.sql().replaceAll(" ORDER BY .*$", "");
    }

    /** Deals with each row that differed in a transaction of its own. */
    private State repaired(State begin, Connection working, Found found, boolean byViews)
            throws SQLException, InterruptedException {
        working.rollback();
        differences.add(working, found.differences());
        if (found.isTooMany()) { // in one transaction: nobody may take them for few
            return decided(begin, working, found.rows(), true, byViews);
        }
        working.commit();
        if (!found.differences().isEmpty() && mayBringOver(begin)) {
            bringOver(begin, found.differences());
        } else {
            for (Difference each : found.differences()) {
                if (each.fate() == Fate.FOUND) {
                    differences.decide(working, each, Fate.CONFLICT);
                }
            }
            working.commit();
        }
        return decided(begin, working, found.rows(), false, byViews);
    }

    private State decided(State state, Connection working, long rows, boolean isTooMany, boolean byViews)
            throws SQLException {
        Map<Fate, Long> fates = new LinkedHashMap<>();
        differences.read(working).forEach(each -> fates.merge(each.fate(), 1L, Long::sum));
        State.Copy copy = state.copy().orElseThrow();
        State decided = state.with(copy.with(new Verdict(
                Math.max(rows, copy.sum().rows()),
                fates.getOrDefault(Fate.BROUGHT_OVER, 0L),
                fates.getOrDefault(Fate.CONFLICT, 0L) + fates.getOrDefault(Fate.FOUND, 0L),
                fates.getOrDefault(Fate.UNDECIDED, 0L),
                isTooMany,
                byViews)));
        states.write(working, decided);
        working.commit();
        return decided;
    }

    /** Only changes that were not logged: replicas keep what was kept from them. The definition must be the same. */
    private boolean mayBringOver(State state) throws SQLException {
        State.Copy copy = state.copy().orElseThrow();
        boolean isSame = TableIdentity.read(asking, column.schema(), column.table())
                .equals(Optional.of(copy.tables().orElseThrow().fresh()));
        return isSame
                && CopyChecks.dependents(asking, column, true).isEmpty()
                && (copy.exchange().isPresent() || !LogSettings.hasLog(asking));
    }

    private void bringOver(State begin, List<Difference> found) throws SQLException, InterruptedException {
        State.Copy copy = begin.copy().orElseThrow();
        try (Connection working = JdbcDriver.connectForChanging(endpoint)) {
            boolean isLogged = copy.exchange().isPresent() && !View.leavesLog(working);
            WritingConnection.prepare(working);
            bringOver(begin, working, isLogged, found);
        }
    }

    /** @param working a connection whose transactions are not logged, unless it may not */
    private void bringOver(State begin, Connection working, boolean isLogged, List<Difference> found)
            throws SQLException, InterruptedException {
        State.Copy copy = begin.copy().orElseThrow();
        try (Touched touched = copy.exchange().isPresent()
                        ? Touched.since(this, copy.exchange().get())
                        : Touched.UNKNOWN;
                ShadowTable table = new ShadowTable(working, column, key, value, former.table(), column.table())) {
            RowContent.Reader now = new RowContent.Reader(
                    working, column, key, RowDigest.texts(asking, former), Names.quoted(column.column()));
            RowReader olds = new RowReader(working, former, formerKey, limits.maxLength(), value);
            for (Difference each : found) {
                if (each.fate() == Fate.FOUND) {
                    throttle.awaitPermission();
                    Fate fate = isLogged
                            ? left(each, now, working)
                            : broughtOver(begin, each, touched, table, now, olds, working);
                    differences.decide(asking, each, fate); // logged
                }
            }
        }
    }

    /** A row that may not be written. */
    private Fate left(Difference each, RowContent.Reader reader, Connection working) throws SQLException {
        try {
            return isSame(each.former(), reader.lock(key.parse(each.key()))) ? equal(each) : Fate.CONFLICT;
        } catch (SQLException e) {
            if (!UNFIT.contains(e.getErrorCode())) {
                throw e;
            }
            return Fate.CONFLICT;
        } finally {
            working.rollback();
        }
    }

    /** Of a row that has the former content now. Whoever gave it that, it lacked a change if it differed. */
    private Fate equal(Difference each) {
        return isSame(each.former(), each.fresh()) ? Fate.EQUAL : Fate.BROUGHT_OVER;
    }

    /** Writes a row as it is in the former table, if that is possible, and nobody has changed it since. */
    private Fate broughtOver(
            State begin,
            Difference each,
            Touched touched,
            ShadowTable table,
            RowContent.Reader reader,
            RowReader olds,
            Connection working)
            throws SQLException, InterruptedException {
        List<Object> of = key.parse(each.key());
        try {
            Optional<RowContent> now = reader.lock(of);
            if (isSame(each.former(), now)) {
                working.rollback();
                return equal(each); // also if a process was killed before it could write what it had done
            }
            // asked again for each row: while others were waited for, somebody may have made a foreign key
            if (now.equals(each.fresh()) && mayBringOver(begin)) {
                List<Rewriter.Change> rows = olds.find(of).stream()
                        .map(row -> new Rewriter.Change(
                                row, row.stored().map(conversion::convert).orElse(null)))
                        .toList();
                if (now.isPresent()) {
                    table.replace(List.of(of), rows);
                } else { // nothing was locked: a row that others have inserted since stays
                    table.copy(rows);
                }
                // a row is left out if another one has its key, or its value of a UNIQUE column; this one is locked
                // now, so the log has all that others have done with it
                if (isSame(each.former(), reader.lock(of)) && !touched.has(working, of)) {
                    working.commit();
                    return Fate.BROUGHT_OVER;
                }
            }
            working.rollback();
            return Fate.CONFLICT;
        } catch (FrameException e) { // a value that was written without a log, and cannot be decoded
            working.rollback();
            return Fate.CONFLICT;
        } catch (SQLException e) {
            working.rollback();
            if (!UNFIT.contains(e.getErrorCode())) {
                throw e;
            }
            return Fate.CONFLICT;
        }
    }

    /** Whether two rows have the same value and the same other columns. */
    private boolean isSame(Optional<RowContent> old, Optional<RowContent> fresh) {
        if (old.isEmpty() || fresh.isEmpty()) {
            return old.isEmpty() && fresh.isEmpty();
        }
        Optional<byte[]> left = old.get().bytes(column.column());
        Optional<byte[]> right = fresh.get().bytes(column.column());
        if (!old.get().differing(fresh.get(), column.column()).isEmpty() || left.isPresent() != right.isPresent()) {
            return false;
        }
        try {
            return left.isEmpty()
                    || Arrays.equals(conversion.value(left.get()), conversion.valueAfter(right.get(), false));
        } catch (FrameException e) {
            return false;
        }
    }

    /** Rows that were changed since the exchange began, by the log. */
    private static final class Touched implements AutoCloseable {

        /** Without a log; the bytes of the row say whether it was changed. */
        static final Touched UNKNOWN = new Touched(Optional.empty());

        private final Optional<LogFeed> feed;
        private final Set<List<Object>> keys = new HashSet<>();
        private boolean isIncomplete;

        private Touched(Optional<LogFeed> feed) {
            this.feed = feed;
        }

        static Touched since(Witness witness, LogPlace place) throws SQLException {
            TableColumn column = witness.column;
            TableName name = CopyChecks.name(witness.asking, column);
            KeyReader reader = KeyColumns.reader(witness.asking, column, witness.key);
            try {
                return new Touched(Optional.of(
                        new LogFeed(witness.endpoint, name, reader, place, Optional.of(Exchange.rename(column)))));
            } catch (IncompleteLogException e) {
                Touched touched = new Touched(Optional.empty());
                touched.isIncomplete = true;
                return touched;
            }
        }

        /** Whether a row that is locked was changed; also if that is not known. */
        boolean has(Connection asking, List<Object> key) throws SQLException, InterruptedException {
            if (feed.isPresent() && !isIncomplete) {
                try {
                    String end = feed.get().end(asking);
                    while (!feed.get().hasReached(end)) {
                        if (!keys.addAll(feed.get().poll(asking, ROWS_AT_ONCE))) {
                            Thread.sleep(1);
                        }
                    }
                } catch (IncompleteLogException e) {
                    isIncomplete = true;
                }
            }
            return isIncomplete || keys.contains(key);
        }

        @Override
        public void close() throws SQLException {
            if (feed.isPresent()) {
                feed.get().close();
            }
        }
    }

    /** Compares the former table with the sum of what was written to the new one. */
    private State byDigest(State state, Connection working) throws SQLException, InterruptedException {
        working.rollback();
        RowDigest digest = RowDigest.of(asking, former, formerKey);
        Sum found = Sum.ZERO;
        Optional<List<Object>> after = Optional.empty();
        while (true) {
            throttle.awaitPermission();
            long start = System.nanoTime();
            TableKey.Range range = after.map(formerKey::after).orElseGet(formerKey::all);
            int columns = key.names().size();
            int rows = 0;
            long bytes = 0;
            try (PreparedStatement select = working.prepareStatement("SELECT " + formerKey.selected() + ", " + value
                    + ", " + digest.key() + ", " + digest.others() + range.sql() + " LIMIT " + ROWS_AT_ONCE)) {
                select.setFetchSize(JdbcDriver.MARIADB.streamingFetchSize());
                range.bind(select);
                try (ResultSet row = select.executeQuery()) {
                    while (bytes < Chunks.MAX_BYTES && row.next()) {
                        byte[] stored = row.getBytes(columns + 1);
                        bytes += stored == null ? 0 : stored.length;
                        byte[] encoded =
                                stored == null || stored.length > limits.maxLength() ? stored : encoded(stored);
                        List<Object> of = key.read(row, 1);
                        found = found.plus(RowDigest.of(
                                row.getLong(columns + 2),
                                encoded,
                                RowDigest.others(former, row, columns + 3, RowDigest.place(key, of))));
                        after = Optional.of(of);
                        rows++;
                    }
                }
            }
            working.rollback();
            if (rows == 0) {
                break;
            }
            throttle.worked(System.nanoTime() - start, 0);
        }
        if (found.equals(state.copy().orElseThrow().sum())) {
            return decided(state, working, found.rows(), false, false);
        }
        return undecided(state, working, found.rows());
    }

    private byte[] encoded(byte[] stored) {
        try {
            return conversion.convert(stored).stored();
        } catch (FrameException e) {
            return stored;
        }
    }

    /** Something differs, or was changed since: all rows that differ now are named. */
    private State undecided(State state, Connection working, long rows) throws SQLException, InterruptedException {
        Found found;
        try (View old = View.open(JdbcDriver.connectForChanging(endpoint));
                View fresh = View.open(JdbcDriver.connectForChanging(endpoint))) {
            found = compare(old, fresh);
        } catch (ViewLostException e) {
            throw new SQLException(e.getMessage(), "08S01", e);
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_SUCH_COLUMN) {
                throw e;
            }
            return decided(state, working, rows, true, false); // the table has other columns now
        }
        List<Difference> undecided = found.differences().stream()
                .map(each -> new Difference(each.key(), each.former(), each.fresh(), Fate.UNDECIDED))
                .toList();
        differences.add(working, undecided); // in one transaction with the verdict
        return decided(state, working, rows, found.differences().size() >= MOST, false);
    }
}
