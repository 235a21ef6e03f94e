package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.TimeAccount.TimedPart;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import dev.blobmark.lab.study.Window;
import dev.blobmark.mysql.client.Sql;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a value by its key. Timed: binding the key, the round trip, the driver's copy of the column into an array, and
 * decoding into a reused buffer. Without an encoding, the array is not copied again.
 */
final class Fetch implements Workload {

    @Override
    public String id() {
        return "fetch";
    }

    @Override
    public String description() {
        return "read a value by its key and decode it";
    }

    @Override
    public List<String> operationTypes() {
        return List.of("fetch");
    }

    @Override
    public Set<Use> uses() {
        return Set.of(Use.STORE, Use.VALUES, Use.READ, Use.COLD, Use.RATE);
    }

    @Override
    public boolean returnsConnections() {
        return true;
    }

    @Override
    public boolean timesTypesSeparately() {
        return false;
    }

    @Override
    public int sweep(Design design, int rows) {
        return design.get(Link.FACTOR).isEmulated() ? 0 : Math.min(rows, MAX_SWEPT);
    }

    /** With a cold buffer pool, each row is read once: all rows, or as many as are scheduled. */
    @Override
    public Window window(Design design, Window scheduled, int rows) {
        return design.get(Pool.FACTOR) == Pool.COLD
                ? new Window.Count(scheduled instanceof Window.Count count ? Math.min(count.operations(), rows) : rows)
                : scheduled;
    }

    @Override
    public Operation open(Setup setup) throws SQLException, IOException {
        Traffic traffic = new Traffic(setup.link());
        Lease lease = Lease.of(setup, traffic);
        try {
            return new Select(lease, traffic, setup);
        } catch (SQLException | IOException e) {
            lease.close();
            throw e;
        }
    }

    /**
     * The most rows that are read one by one before a window. If there are more, or over a slow link, the server reads
     * the table with one statement instead.
     */
    private static final int MAX_SWEPT = 1_000;

    static final class Select implements Operation {

        private final Lease lease;
        private final Traffic traffic;
        private final Setup setup;
        private final EncodedValues values;
        private final ReturnedValues returned;
        private final Dialect dialect;
        private final Connector connector;
        private final Codec codec;
        private final boolean decodes;
        private final byte[] buffer;

        private String sql;
        private byte[] value;
        private int length;
        private int receivedLength;

        /** @param traffic of the lease */
        Select(Lease lease, Traffic traffic, Setup setup) throws SQLException, IOException {
            this(lease, traffic, setup, setup.codec());
        }

        Select(Lease lease, Traffic traffic, Setup setup, Codec codec) throws SQLException {
            this.lease = lease;
            this.traffic = traffic;
            this.setup = setup;
            this.codec = codec;
            values = setup.values();
            returned = new ReturnedValues(values, setup.design());
            dialect = setup.dialect();
            connector = setup.connector();
            decodes = setup.design().get(Decode.FACTOR) == Decode.APPLICATION && !codec.isIdentity();
            buffer = new byte[decodes ? values.maxLength() : 0];
            beginWindow();
            lease.prepare(sql); // fails early if the server refuses the statement
            if (setup.isCold()) {
                Sql.execute(lease.connection(), dialect.open(setup.windowTable()));
                sql = sql(setup.warmUpTable());
            }
            lease.end();
        }

        private String sql(String table) {
            return dialect.select(table, setup.design().get(Decode.FACTOR));
        }

        /** One statement: one per row would take minutes for a large table or over a slow link. */
        @Override
        public void readThrough() throws SQLException {
            boolean readsEachRow =
                    values.count() <= MAX_SWEPT && !setup.link().link().isEmulated();
            if (!readsEachRow && !setup.isCold()) {
                Sql.execute(lease.connection(), dialect.readThrough(setup.windowTable()));
                lease.end();
            }
        }

        @Override
        public void beginWindow() {
            sql = sql(setup.windowTable());
        }

        @Override
        public long perform(int type, int row) throws SQLException {
            try {
                read(row);
            } finally {
                lease.end();
            }
            if (value == null) {
                throw new WrongValueException("key " + row + " is NULL: the server could not decode the stored value");
            }
            receivedLength = value.length;
            if (decodes) {
                decode(row);
            } else {
                length = value.length;
            }
            return returned.applicationLength(row, length);
        }

        private void read(int row) throws SQLException {
            PreparedStatement select = lease.prepare(sql);
            select.setInt(1, row);
            try (ResultSet result = select.executeQuery()) {
                if (!result.next()) {
                    throw new WrongValueException("key " + row + " is missing");
                }
                value = returned.read(result);
            }
        }

        private void decode(int row) {
            traffic.time().charge(TimedPart.CLIENT);
            try {
                length = codec.decode(value, 0, value.length, buffer, 0, buffer.length);
                traffic.time().charge(TimedPart.DECODE);
                value = buffer;
            } catch (CodecException e) {
                throw new WrongValueException("key " + row + " cannot be decoded: " + e.getMessage());
            }
        }

        /**
         * Whether the value that was read is one of these, or without {@code content}, has the length of one of them.
         */
        boolean isOneOf(KnownValues values, boolean content) {
            return content ? values.contains(value, length) : values.hasLength(length);
        }

        /** Bytes of the column that the client received: decoded ones if the server decodes. */
        int receivedLength() {
            return receivedLength;
        }

        @Override
        public void verify(int type, int row, boolean content) {
            (content ? returned.problem(row, value, length) : returned.lengthProblem(row, length))
                    .ifPresent(problem -> {
                        throw new WrongValueException("key " + row + problem);
                    });
        }

        @Override
        public Optional<String> transientCode(Exception error) {
            return dialect.transientCode(error);
        }

        @Override
        public Optional<Traffic> traffic() {
            return Optional.of(traffic);
        }

        @Override
        public void verifyEffective() throws SQLException {
            try {
                read(0); // the check needs a connection that has executed a statement
                connector.verifyStatements(lease.connection());
            } finally {
                lease.end();
            }
        }

        @Override
        public void close() {
            lease.close();
        }
    }
}
