package dev.blobmark.lab.workload;

import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

/**
 * Replaces the values of rows in a loaded table with other values of the dataset. A batch is one statement per row,
 * passed to the driver as a JDBC batch in one transaction. Its rows are distributed evenly over the table.
 */
final class Update implements Workload {

    @Override
    public String id() {
        return "update";
    }

    @Override
    public String description() {
        return "encode a value and replace another with it";
    }

    @Override
    public List<String> operationTypes() {
        return List.of("update");
    }

    @Override
    public Set<Use> uses() {
        return Set.of(Use.STORE, Use.VALUES, Use.WRITE, Use.BATCH, Use.RATE);
    }

    @Override
    public InitialTable start() {
        return InitialTable.LOADED;
    }

    @Override
    public int sweep(Design design, int rows) {
        int batch = design.get(Batch.FACTOR);
        return design.get(Link.FACTOR).isEmulated() ? 0 : rows - (batch - 1) * (rows / batch);
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
            return new UpdateOperation(connection, traffic, setup);
        } catch (Exception e) {
            connection.close();
            throw e;
        }
    }

    static final class UpdateOperation extends Write {

        private final boolean hasOtherWorkers;
        private final KnownValues knownValues;

        /** Updates so far; determines the value, so that a row gets another one each time. */
        private int updates;

        UpdateOperation(Connection connection, Traffic traffic, Setup setup) throws Exception {
            super(connection, traffic, setup);
            int rows = raw.count();
            if (rows < Math.max(2, batch)) {
                throw new IllegalArgumentException("the table has " + rows + " rows, but an update needs "
                        + Math.max(2, batch) + " or more to change " + batch
                        + " at a time to other values; give more rows, or lower batch");
            }
            hasOtherWorkers = setup.design().get(Threads.FACTOR) > 1;
            knownValues = new KnownValues(raw);
            useTable(setup.table(), dialect.update(setup.table()), false);
        }

        @Override
        public void readThrough() throws SQLException {
            if (setup.link().link().isEmulated()) {
                Sql.execute(connection, dialect.readThrough(setup.windowTable()));
            }
        }

        @Override
        public void beginWindow() throws SQLException {
            super.beginWindow();
            updates = 0;
        }

        @Override
        public void prepare(int type, int row) {
            int rows = raw.count();
            int distance = rows / batch;
            int shift = 1 + updates++ % (rows - 1);
            for (int place = 0; place < batch; place++) {
                int key = (int) ((row + (long) place * distance) % rows);
                put(place, key, (int) ((key + (long) shift) % rows));
            }
        }

        @Override
        int execute(PreparedStatement write) throws SQLException {
            write.clearBatch();
            for (int place = 0; place < batch; place++) {
                write.setBytes(1, encoded(place));
                write.setInt(2, key(place));
                if (batch > 1) {
                    write.addBatch();
                }
            }
            if (batch == 1) {
                return write.executeUpdate();
            }
            int written = 0;
            for (int rows : write.executeBatch()) {
                written += rows == Statement.SUCCESS_NO_INFO ? 1 : rows;
            }
            return written;
        }

        @Override
        boolean mayBeFromAnotherWorker(byte[] value, int length) {
            return hasOtherWorkers && knownValues.contains(value, length);
        }

        /** The values that a row may have. */
        KnownValues knownValues() {
            return knownValues;
        }
    }
}
