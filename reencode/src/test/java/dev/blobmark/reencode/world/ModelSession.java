package dev.blobmark.reencode.world;

import dev.blobmark.reencode.binlog.LogPosition;
import dev.blobmark.reencode.change.LogPlace;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.checkpoint.StateTable;
import dev.blobmark.reencode.copy.CopiedRows;
import dev.blobmark.reencode.copy.CopySession;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Rewriter.Change;
import dev.blobmark.reencode.row.RowSource;
import dev.blobmark.reencode.row.Sum;
import java.math.BigInteger;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A session without autocommit that writes the new table and the state. */
final class ModelSession implements CopySession, CopiedRows {

    private static final long ROW_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Who may advance the change, and how far it is. */
    record Owned(String owner, State state) {}

    private final World world;
    private final Process process;
    private final Session session;
    private final Model model;

    ModelSession(World world, Process process, Session session) {
        this.world = world;
        this.process = process;
        this.session = session;
        model = world.model;
    }

    private Table use(String name, boolean isChange) throws SQLException {
        return world.use(process, session, name, isChange);
    }

    private void lockRow(Table table, int id, String name) throws SQLException {
        world.await(
                process,
                session,
                () -> Model.isFree(table, id, session.transaction),
                ROW_NANOS,
                "row " + id + " of " + name);
    }

    private void put(Table table, int id, Object row, String name) throws SQLException {
        lockRow(table, id, name);
        model.write(model.begin(session), table, id, row);
    }

    @Override
    public RowSource former() {
        return new ModelRows(world, process, session, ModelRows.Kind.FORMER, false);
    }

    @Override
    public CopiedRows fresh() {
        return this;
    }

    @Override
    public void copy(List<Change> rows) throws SQLException {
        world.call(
                process,
                session,
                () -> "INSERT INTO t_blobmark_new SELECT of "
                        + rows.stream().map(row -> Content.id(row.row().key())).toList());
        Table fresh = use(Model.FRESH, true);
        Table former = use(Model.TABLE, false);
        for (Change change : rows) {
            int id = Content.id(change.row().key());
            Content now = (Content) session.transaction.row(former, id);
            if (now == null) {
                continue;
            }
            lockRow(fresh, id, Model.FRESH);
            if (session.transaction.row(fresh, id) == null && !hasUnique(fresh, now.unique())) {
                put(
                        fresh,
                        id,
                        change.isNeeded() ? now.withPayload(change.result().stored()) : now,
                        Model.FRESH);
            }
        }
    }

    private boolean hasUnique(Table table, Integer unique) {
        return unique != null
                && session.transaction.rows(table).values().stream()
                        .anyMatch(row -> unique.equals(((Content) row).unique()));
    }

    @Override
    public void replace(List<List<Object>> keys, List<Change> rows) throws SQLException {
        world.call(
                process,
                session,
                () -> "DELETE FROM t_blobmark_new of "
                        + keys.stream().map(Content::id).toList());
        Table fresh = use(Model.FRESH, true);
        for (List<Object> key : keys) {
            put(fresh, Content.id(key), null, Model.FRESH);
        }
        copy(rows);
    }

    @Override
    public Sum sum(Optional<List<Object>> after, List<Object> last) throws SQLException {
        world.call(process, session, () -> "reads sums of t_blobmark_new up to " + Content.id(last));
        Table fresh = use(Model.FRESH, false);
        return sum(ModelRows.range(session.transaction.rows(fresh), after, last));
    }

    @Override
    public Map<List<Object>, Sum> sums(List<List<Object>> keys) throws SQLException {
        world.call(process, session, () -> "reads sums of t_blobmark_new");
        Table fresh = use(Model.FRESH, false);
        Map<List<Object>, Sum> sums = new HashMap<>();
        for (List<Object> key : keys) {
            int id = Content.id(key);
            Content row = (Content) session.transaction.row(fresh, id);
            if (row != null) {
                sums.put(key, sum(id, row));
            }
        }
        return sums;
    }

    static Sum sum(Map<Integer, Object> rows) {
        Sum sum = Sum.ZERO;
        for (Map.Entry<Integer, Object> each : rows.entrySet()) {
            sum = sum.plus(sum(each.getKey(), (Content) each.getValue()));
        }
        return sum;
    }

    private static Sum sum(int id, Content row) {
        long value = Arrays.hashCode(row.payload()) * 0x1_0001L + id;
        long others = (row.note().hashCode() * 31L + (row.unique() == null ? -1 : row.unique())) * 0x1_0001L + id;
        return new Sum(1, BigInteger.valueOf(value), BigInteger.valueOf(others));
    }

    @Override
    public List<ChangedKey> changedKeys(int most) throws SQLException {
        world.call(process, session, () -> "reads t_blobmark_keys");
        Table keys = use(Model.KEYS, false);
        List<ChangedKey> found = new ArrayList<>();
        for (Map.Entry<Integer, Object> each : session.transaction.rows(keys).entrySet()) {
            if (found.size() < most) {
                found.add(new ChangedKey(each.getKey(), Content.key((Integer) each.getValue())));
            }
        }
        return found;
    }

    @Override
    public void remove(List<ChangedKey> removed) throws SQLException {
        world.call(process, session, () -> "DELETE FROM t_blobmark_keys");
        Table keys = use(Model.KEYS, true);
        for (ChangedKey each : removed) {
            put(keys, (int) each.number(), null, Model.KEYS);
        }
    }

    @Override
    public long lastChangedKey() throws SQLException {
        world.call(process, session, () -> "reads the largest number of t_blobmark_keys");
        Table keys = use(Model.KEYS, false);
        var rows = session.transaction.rows(keys);
        return rows.isEmpty() ? 0 : rows.lastKey();
    }

    @Override
    public LogPosition logEnd() throws SQLException {
        world.call(process, session, () -> "asks where the log ends");
        return new LogPosition(model.log.name, model.log.end());
    }

    @Override
    public LogPlace logNow() throws SQLException {
        world.call(process, session, () -> "asks for the log");
        return new ModelServer(world, process).place();
    }

    @Override
    public void write(State state) throws SQLException {
        world.call(process, session, () -> "UPDATE blobmark_reencode");
        Table states = use(Model.STATES, true);
        lockRow(states, 0, Model.STATES);
        Owned owned = (Owned) session.transaction.row(states, 0);
        if (!owned.owner().equals(process.name)) {
            throw new ReencodeException("shop.t", "another process has taken over the change", "leave it to that one");
        }
        put(states, 0, new Owned(process.name, state), Model.STATES);
    }

    @Override
    public void add(StateTable.Range range) {
        // checksums of ranges are for a later comparison
    }

    @Override
    public void commit() throws SQLException {
        world.call(process, session, () -> "COMMIT");
        world.commit(process, session);
    }

    @Override
    public void rollback() throws SQLException {
        world.call(process, session, () -> "ROLLBACK");
        if (session.transaction != null) {
            model.rollBack(session.transaction);
        }
    }

    @Override
    public String alsoSeen() {
        return "";
    }

    @Override
    public void close() {
        // whoever has opened the session ends it
    }
}
