package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import dev.blobmark.lab.study.Window;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Inserts new rows into a table that is empty when the window begins; the warm-up fills another one that is made alike. A
 * batch is one statement of many rows.
 */
public final class Insert implements Workload {

    Insert() {}

    @Override
    public String id() {
        return "insert";
    }

    @Override
    public String description() {
        return "encode values and insert them into a table that was empty";
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
    public Start start() {
        return Start.EMPTY;
    }

    @Override
    public int sweep(Design design, int rows) {
        return 0;
    }

    /** So many inserts as there are to be rows. */
    @Override
    public Window window(Design design, Window scheduled, int rows) {
        OptionalInt wanted = design.get(Rows.FACTOR);
        return wanted.isPresent() ? new Window.Count(wanted.getAsInt() / design.get(Batch.FACTOR)) : scheduled;
    }

    /** What is wrong with a number of rows that batches cannot make. */
    public static Optional<String> unevenBatch(Design design) {
        OptionalInt rows = design.get(Rows.FACTOR);
        int batch = design.get(Batch.FACTOR);
        return design.get(Workload.FACTOR).start() == Start.EMPTY && rows.isPresent() && rows.getAsInt() % batch != 0
                ? Optional.of("rows is " + rows.getAsInt() + ", which is no multiple of the batch of " + batch
                        + " rows that an insert writes; change one of them")
                : Optional.empty();
    }

    /** The value of the row with a number, of so many values. */
    public static int valueOf(int number, int values) {
        return Math.floorMod(number, values);
    }

    @Override
    public boolean typesApart() {
        return false;
    }

    @Override
    public Operation open(Setup setup) throws Exception {
        Traffic traffic = new Traffic(setup.link());
        Connection connection = setup.connector().connect(setup.endpoint(), traffic);
        try {
            return new Run(connection, traffic, setup);
        } catch (Exception e) {
            connection.close();
            throw e;
        }
    }

    private static final class Run extends Write {

        /** Below 0, and away from each other, lie the keys of a run-in's warm-up and window. */
        private static final long RUN_IN = -(1L << 30);

        private final Keys keys;
        private long firstKey;

        Run(Connection connection, Traffic traffic, Setup setup) throws Exception {
            super(connection, traffic, setup);
            keys = setup.design().get(Keys.FACTOR);
            firstKey = setup.isRunIn() ? RUN_IN : 0;
            aimAt(Setup.warmUpTable(setup.table()));
        }

        private void aimAt(String table) throws SQLException {
            aimAt(table, dialect.insert(table, batch), true);
        }

        @Override
        public void beginWindow() throws SQLException {
            super.beginWindow();
            if (setup.isRunIn()) {
                firstKey += RUN_IN;
            } else {
                aimAt(setup.table());
            }
        }

        /** @param operation its number in the warm-up or window, among those of all workers of all processes */
        @Override
        public void prepare(int type, int operation) {
            for (int place = 0; place < batch; place++) {
                int number = Math.toIntExact(firstKey + (long) operation * batch + place);
                take(place, number < 0 ? number : keys.key(number, setup.seed()), valueOf(number, raw.count()));
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
