package dev.blobmark.reencode.world;

import dev.blobmark.reencode.copy.BothTables;
import dev.blobmark.reencode.failure.CopyEndedException;
import dev.blobmark.reencode.row.Row;
import dev.blobmark.reencode.row.RowSource;
import dev.blobmark.reencode.row.Sum;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Both tables as they were when the view was opened. */
final class ModelView implements BothTables {

    private final World world;
    private final Process process;
    private final Session session;
    private final View former = new View(Model.TABLE);
    private final View fresh = new View(Model.FRESH);

    ModelView(World world, Process process, Session session) {
        this.world = world;
        this.process = process;
        this.session = session;
    }

    private final class View implements RowSource {
        private final String name;
        private TreeMap<Integer, Object> rows = new TreeMap<>();
        private long number;

        View(String name) {
            this.name = name;
        }

        private void renew() throws SQLException {
            Table table = world.model.tables.get(name);
            if (table != null) {
                rows = new TreeMap<>(table.rows);
                number = table.number;
            }
        }

        private TreeMap<Integer, Object> read(String what) throws SQLException {
            world.call(process, session, () -> "reads " + what + " of " + name + " in the view");
            Table table = world.use(process, session, name, false);
            if (table.number != number) {
                throw new SQLException("Table definition has changed", "HY000", 1412);
            }
            return rows;
        }

        @Override
        public List<Row> next(Optional<List<Object>> after, Optional<List<Object>> until, long bytes)
                throws SQLException {
            return ModelRows.next(world, read("rows after " + after.map(Content::id)), after, until);
        }

        @Override
        public List<Row> between(Optional<List<Object>> after, List<Object> last) throws SQLException {
            return ModelRows.between(read("rows up to " + Content.id(last)), after, last);
        }

        @Override
        public Optional<Row> find(List<Object> of) {
            throw new UnsupportedOperationException("a comparison reads ranges");
        }

        @Override
        public List<Row> findAll(List<List<Object>> keys) {
            throw new UnsupportedOperationException("a comparison reads ranges");
        }
    }

    @Override
    public void renew() throws SQLException {
        world.call(process, session, () -> "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        end();
        former.renew();
        fresh.renew();
        world.auditor.compared();
    }

    @Override
    public void begin() throws SQLException {
        world.call(process, session, () -> "SAVEPOINT blobmark");
    }

    @Override
    public void end() throws SQLException {
        if (session.transaction != null) {
            world.model.rollBack(session.transaction);
        }
    }

    @Override
    public RowSource former() {
        return former;
    }

    @Override
    public RowSource fresh() {
        return fresh;
    }

    @Override
    public Sum sum(Optional<List<Object>> after, List<Object> last) throws SQLException {
        return ModelSession.sum(ModelRows.range(fresh.read("sums"), after, last));
    }

    @Override
    public Sum othersOfFormer(Optional<List<Object>> after, List<Object> last) throws SQLException {
        return ModelSession.sum(ModelRows.range(former.read("sums"), after, last));
    }

    @Override
    public Optional<CopyEndedException> difference(List<List<Object>> keys) {
        return Optional.empty();
    }

    @Override
    public void close() {
        if (!process.isKilled) {
            world.model.kill(session);
        }
    }
}
