package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.TimeAccount.TimedPart;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.client.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the whole table in key order, each row as it arrives from the server. Timed: the request, and for each value
 * what {@link Fetch} times. The length of every value is checked, and the content of one in {@value #CHECK_INTERVAL},
 * different ones in each scan. After a worker's first scan, the table is read again, untimed, and the content of every
 * value is checked.
 */
final class Scan implements Workload {

    private static final int CHECK_INTERVAL = 64;

    @Override
    public String id() {
        return "scan";
    }

    @Override
    public String description() {
        return "read the whole table in key order and decode every value";
    }

    @Override
    public List<String> operationTypes() {
        return List.of("scan");
    }

    @Override
    public Set<Use> uses() {
        return Set.of(Use.STORE, Use.VALUES, Use.READ, Use.COLD);
    }

    @Override
    public int sweep(Design design, int rows) {
        return 1;
    }

    /** With a cold buffer pool, each worker scans the table once, all at the same time. */
    @Override
    public Window window(Design design, Window scheduled, int rows) {
        return design.get(Pool.FACTOR) == Pool.COLD ? new Window.Count(design.get(Threads.FACTOR)) : scheduled;
    }

    @Override
    public boolean timesTypesSeparately() {
        return false;
    }

    @Override
    public boolean readsAll() {
        return true;
    }

    @Override
    public boolean worksOnOneValue(Design design) {
        return false;
    }

    @Override
    public Operation open(Setup setup) throws SQLException, IOException {
        Traffic traffic = new Traffic(setup.link());
        Connection connection = setup.connector().connect(setup.endpoint(), traffic);
        try {
            return new ScanOperation(connection, traffic, setup);
        } catch (SQLException | IOException e) {
            connection.close();
            throw e;
        }
    }

    private static final class ScanOperation implements Operation {

        private final Connection connection;
        private final Traffic traffic;
        private final PreparedStatement selectInWindow;
        private final EncodedValues values;
        private final ReturnedValues returned;
        private final Dialect dialect;
        private final Connector connector;
        private final Codec codec;
        private final boolean decodes;
        private final byte[] buffer;
        private final int[] lengths;
        private final byte[][] checked;
        private final int windowRows;
        private PreparedStatement select;
        private int rows;
        private int firstChecked;
        private boolean hasCheckedAll;
        private int count;

        ScanOperation(Connection connection, Traffic traffic, Setup setup) throws SQLException, IOException {
            Design design = setup.design();
            this.connection = connection;
            this.traffic = traffic;
            values = setup.values();
            returned = new ReturnedValues(values, design);
            dialect = setup.dialect();
            connector = setup.connector();
            codec = setup.codec();
            decodes = design.get(Decode.FACTOR) == Decode.APPLICATION && !codec.isIdentity();
            buffer = new byte[decodes ? values.maxLength() : 0];
            lengths = new int[values.count()];
            checked = new byte[values.count() / CHECK_INTERVAL + 1][];
            windowRows = setup.windowRows();
            rows = setup.warmUpRows();
            selectInWindow = select(setup, setup.windowTable());
            select = selectInWindow;
            if (setup.isCold()) {
                Sql.execute(connection, dialect.open(setup.windowTable()));
                select = select(setup, setup.warmUpTable());
            }
        }

        private PreparedStatement select(Setup setup, String table) throws SQLException {
            PreparedStatement statement = connection.prepareStatement(
                    dialect.scan(table, setup.design().get(Decode.FACTOR)),
                    ResultSet.TYPE_FORWARD_ONLY,
                    ResultSet.CONCUR_READ_ONLY);
            statement.setFetchSize(connector.streamingFetchSize());
            return statement;
        }

        @Override
        public void beginWindow() {
            select = selectInWindow;
            rows = windowRows;
        }

        @Override
        public void prepare(int type, int row) {
            firstChecked = (firstChecked + 1) % CHECK_INTERVAL;
        }

        @Override
        public long perform(int type, int row) throws SQLException {
            long bytes = 0;
            count = 0;
            try (ResultSet result = select.executeQuery()) {
                for (int key = 0; result.next(); key++) {
                    byte[] value = value(result, key);
                    lengths[key] = decodes ? decode(value, key) : value.length;
                    bytes += returned.applicationLength(key, lengths[key]);
                    if (key % CHECK_INTERVAL == firstChecked) {
                        checked[key / CHECK_INTERVAL] = value;
                    }
                    count++;
                }
            }
            return bytes;
        }

        private byte[] value(ResultSet result, int key) throws SQLException {
            byte[] value = returned.read(result);
            if (key == rows) {
                throw new WrongValueException("the table has more than the " + rows + " rows that were loaded");
            }
            if (value == null) {
                throw new WrongValueException("row " + key + " is NULL: the server could not decode the stored value");
            }
            return value;
        }

        private int decode(byte[] value, int key) {
            traffic.time().charge(TimedPart.CLIENT);
            try {
                int length = codec.decode(value, 0, value.length, buffer, 0, buffer.length);
                traffic.time().charge(TimedPart.DECODE);
                return length;
            } catch (CodecException e) {
                throw new WrongValueException("row " + key + " cannot be decoded: " + e.getMessage());
            }
        }

        @Override
        public long storedBytes(EncodedValues values, int row) {
            return values.storedBytes();
        }

        @Override
        public void verify(int type, int row, boolean content) throws SQLException {
            if (count != rows) {
                throw new WrongValueException("a scan read " + count + " rows instead of " + rows);
            }
            for (int key = 0; key < count; key++) {
                int scanned = key;
                returned.lengthProblem(key, lengths[key]).ifPresent(problem -> {
                    throw new WrongValueException("row " + scanned + problem);
                });
            }
            for (int key = firstChecked; content && key < count; key += CHECK_INTERVAL) {
                verifyContent(checked[key / CHECK_INTERVAL], key);
            }
            if (content && !hasCheckedAll) {
                try (ResultSet result = select.executeQuery()) {
                    for (int key = 0; result.next(); key++) {
                        verifyContent(value(result, key), key);
                    }
                }
                hasCheckedAll = true;
            }
        }

        private void verifyContent(byte[] value, int key) {
            int length = decodes ? decode(value, key) : value.length;
            returned.problem(key, decodes ? buffer : value, length).ifPresent(problem -> {
                throw new WrongValueException("row " + key + problem);
            });
        }

        @Override
        public Optional<Traffic> traffic() {
            return Optional.of(traffic);
        }

        @Override
        public Optional<String> transientCode(Exception error) {
            return dialect.transientCode(error);
        }

        @Override
        public void verifyEffective() throws SQLException {
            connector.verifyStatements(connection);
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                // the server has closed it; all answers have been received and checked
            }
        }
    }
}
