package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Inserts new rows into a table that is empty when the window begins. The warm-up inserts into another table of the
 * same kind. A batch is one statement with several rows.
 */
public final class Insert implements Workload {

    Insert() {}

    @Override
    public String id() {
        return "insert";
    }

    @Override
    public String description() {
        return "encode values and insert them into an empty table";
    }

    @Override
    public List<String> operationTypes() {
        return List.of("insert");
    }

    @Override
    public Set<Use> uses() {
        return Set.of(Use.STORE, Use.VALUES, Use.WRITE, Use.INSERT, Use.BATCH, Use.RATE);
    }

    @Override
    public InitialTable start() {
        return InitialTable.EMPTY;
    }

    @Override
    public int sweep(Design design, int rows) {
        return 0;
    }

    /** If {@code rows} is set, the window ends when that many rows are inserted. */
    @Override
    public Window window(Design design, Window scheduled, int rows) {
        OptionalInt inserted = design.get(Rows.FACTOR);
        return inserted.isPresent() ? new Window.Count(inserted.getAsInt() / design.get(Batch.FACTOR)) : scheduled;
    }

    /** The problem of a number of rows that is not a multiple of the batch; empty if there is none. */
    public static Optional<String> unevenBatch(Design design) {
        OptionalInt rows = design.get(Rows.FACTOR);
        int batch = design.get(Batch.FACTOR);
        return design.get(Workload.FACTOR).start() == InitialTable.EMPTY
                        && rows.isPresent()
                        && rows.getAsInt() % batch != 0
                ? Optional.of("rows is " + rows.getAsInt() + ", which is not a multiple of batch, " + batch
                        + "; change one of them")
                : Optional.empty();
    }

    /** The index of the value of a row, if there are this many values. */
    public static int valueOf(int number, int values) {
        return Math.floorMod(number, values);
    }

    @Override
    public boolean timesTypesSeparately() {
        return false;
    }

    @Override
    public Operation open(Setup setup) throws Exception {
        Traffic traffic = new Traffic(setup.link());
        Connection connection = setup.connector().connect(setup.endpoint(), traffic);
        try {
            if (setup.design().get(Layout.FACTOR).isNumbered()) {
                // otherwise the server gives the row of key 0 another one
                Sql.execute(connection, "SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',NO_AUTO_VALUE_ON_ZERO')");
            }
            return new InsertOperation(connection, traffic, setup);
        } catch (Exception e) {
            connection.close();
            throw e;
        }
    }

    private static final class InsertOperation extends Write {

        /** The first key of a run-in's warm-up; that of its window is twice as far below 0, so they do not overlap. */
        private static final long RUN_IN = -(1L << 30);

        private final Keys keys;
        private long firstKey;

        InsertOperation(Connection connection, Traffic traffic, Setup setup) throws Exception {
            super(connection, traffic, setup);
            keys = setup.design().get(Keys.FACTOR);
            firstKey = setup.isRunIn() ? RUN_IN : 0;
            useTable(Setup.warmUpTable(setup.table()));
        }

        private void useTable(String table) throws SQLException {
            useTable(table, dialect.insert(table, batch), true);
        }

        @Override
        public void beginWindow() throws SQLException {
            super.beginWindow();
            if (setup.isRunIn()) {
                firstKey += RUN_IN;
            } else {
                useTable(setup.table());
            }
        }

        /** @param operation number in the warm-up or window, counted over all workers of all processes */
        @Override
        public void prepare(int type, int operation) {
            for (int place = 0; place < batch; place++) {
                int number = Math.toIntExact(firstKey + (long) operation * batch + place);
                put(place, number < 0 ? number : keys.key(number, setup.seed()), valueOf(number, raw.count()));
            }
        }

        @Override
        int execute(PreparedStatement write) throws SQLException {
            for (int place = 0; place < batch; place++) {
                write.setInt(2 * place + 1, key(place));
                write.setBytes(2 * place + 2, encoded(place));
            }
            return write.executeUpdate();
        }
    }
}
