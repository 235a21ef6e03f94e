package dev.blobmark.reencode.world;

import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Rows of one of the two tables, as a session reads them. */
final class ModelRows implements RowSource {

    private static final long ROW_NANOS = TimeUnit.SECONDS.toNanos(2);

    enum Kind {
        FORMER(Model.TABLE),
        FRESH(Model.FRESH);

        final String table;

        Kind(String table) {
            this.table = table;
        }
    }

    private final World world;
    private final Process process;
    private final Session session;
    private final Kind kind;
    private final boolean isAutocommit;

    /** @param isAutocommit whether each statement is a transaction */
    ModelRows(World world, Process process, Session session, Kind kind, boolean isAutocommit) {
        this.world = world;
        this.process = process;
        this.session = session;
        this.kind = kind;
        this.isAutocommit = isAutocommit;
    }

    private Table table() throws SQLException {
        return world.use(process, session, kind.table, false);
    }

    private void end() {
        if (isAutocommit && session.transaction != null) {
            world.model.rollBack(session.transaction);
        }
    }

    private static List<Row> rows(Map<Integer, Object> found, int most) {
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<Integer, Object> each : found.entrySet()) {
            if (rows.size() == most) {
                break;
            }
            rows.add(row(each.getKey(), (Content) each.getValue()));
        }
        return rows;
    }

    static Row row(int id, Content content) {
        byte[] payload = content.payload();
        return new Row(Content.key(id), payload == null ? 0 : payload.length, Optional.ofNullable(payload));
    }

    /** As many rows as the world gives at once, from the first one behind a key. */
    static List<Row> next(
            World world,
            NavigableMap<Integer, Object> all,
            Optional<List<Object>> after,
            Optional<List<Object>> until) {
        NavigableMap<Integer, Object> behind = after.isPresent() ? all.tailMap(Content.id(after.get()), false) : all;
        return rows(until.isPresent() ? behind.headMap(Content.id(until.get()), true) : behind, world.rowsAtOnce());
    }

    static List<Row> between(NavigableMap<Integer, Object> all, Optional<List<Object>> after, List<Object> last) {
        return rows(range(all, after, last), Integer.MAX_VALUE);
    }

    static NavigableMap<Integer, Object> range(
            NavigableMap<Integer, Object> all, Optional<List<Object>> after, List<Object> last) {
        NavigableMap<Integer, Object> upTo = all.headMap(Content.id(last), true);
        return after.isPresent() ? upTo.tailMap(Content.id(after.get()), false) : upTo;
    }

    @Override
    public List<Row> next(Optional<List<Object>> after, Optional<List<Object>> until, long bytes) throws SQLException {
        world.call(process, session, () -> "reads rows of " + kind.table + " after " + after.map(Content::id));
        Table table = table();
        try {
            return next(world, session.transaction.rows(table), after, until);
        } finally {
            end();
        }
    }

    @Override
    public List<Row> between(Optional<List<Object>> after, List<Object> last) throws SQLException {
        world.call(process, session, () -> "reads rows of " + kind.table + " up to " + Content.id(last));
        Table table = table();
        try {
            return between(session.transaction.rows(table), after, last);
        } finally {
            end();
        }
    }

    @Override
    public Optional<Row> find(List<Object> of) throws SQLException {
        world.call(process, session, () -> "reads row " + Content.id(of) + " of " + kind.table);
        Table table = table();
        try {
            return Optional.ofNullable((Content) session.transaction.row(table, Content.id(of)))
                    .map(found -> row(Content.id(of), found));
        } finally {
            end();
        }
    }

    @Override
    public List<Row> findAll(List<List<Object>> keys) throws SQLException {
        world.call(
                process,
                session,
                () -> "reads rows " + keys.stream().map(Content::id).toList() + " of " + kind.table
                        + " LOCK IN SHARE MODE");
        Table table = table();
        try {
            List<Row> found = new ArrayList<>();
            for (List<Object> key : keys) {
                int id = Content.id(key);
                world.await(
                        process,
                        session,
                        () -> Model.isFree(table, id, session.transaction),
                        ROW_NANOS,
                        "row " + id + " of " + kind.table);
                Content content = (Content) session.transaction.row(table, id);
                if (content != null) {
                    found.add(row(id, content));
                }
            }
            return found;
        } finally {
            end();
        }
    }
}
