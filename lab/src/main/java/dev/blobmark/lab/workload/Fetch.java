package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.client.TimeAccount.Part;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor.Use;
import dev.blobmark.lab.study.Window;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a value by its key. Timed: binding the key, the round trip, the driver's copy of the column into an array, and
 * decoding into a buffer that is used again; an encoding that is the identity is not copied once more.
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
    public boolean typesApart() {
        return false;
    }

    @Override
    public int sweep(Design design, int rows) {
        return design.get(Link.FACTOR).isEmulated() ? 0 : Math.min(rows, MOST_SWEPT);
    }

    /** Of a table that is not in the buffer pool each row can be read once: all are, or as many as are scheduled. */
    @Override
    public Window window(Design design, Window scheduled, int rows) {
        return design.get(Pool.FACTOR) == Pool.COLD
                ? new Window.Count(scheduled instanceof Window.Count count ? Math.min(count.operations(), rows) : rows)
                : scheduled;
    }

    @Override
    public Operation open(Setup setup) throws SQLException {
        Traffic traffic = new Traffic(setup.link());
        Lease lease = Lease.of(setup, traffic);
        try {
            return new Select(lease, traffic, setup);
        } catch (SQLException e) {
            lease.close();
            throw e;
        }
    }

    /**
     * So many rows are read one by one before a window at most; where there are more, or a link would make it long, the server reads
     * them through first.
     */
    private static final int MOST_SWEPT = 1_000;

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
        Select(Lease lease, Traffic traffic, Setup setup) throws SQLException {
            this(lease, traffic, setup, setup.design().get(StoredCodec.FACTOR));
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
            lease.prepare(sql); // what cannot be is told at once
            if (setup.isCold()) {
                Sql.execute(lease.connection(), dialect.open(setup.windowTable()));
                sql = sql(setup.warmUpTable());
            }
            lease.end();
        }

        private String sql(String table) {
            return dialect.select(table, setup.design().get(Decode.FACTOR));
        }

        /** One statement, since as many as there are rows would take minutes of a study with many, or over a slow link. */
        @Override
        public void readThrough() throws SQLException {
            boolean isSwept =
                    values.count() <= MOST_SWEPT && !setup.link().link().isEmulated();
            if (!isSwept && !setup.isCold()) {
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
                throw new WrongValueException("key " + row + " gave NULL: the server could not decode what is stored");
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
                    throw new WrongValueException("key " + row + " is not there");
                }
                value = result.getBytes(1);
            }
        }

        private void decode(int row) {
            traffic.time().book(Part.CLIENT);
            try {
                length = codec.decode(value, 0, value.length, buffer, 0, buffer.length);
                traffic.time().book(Part.DECODE);
                value = buffer;
            } catch (CodecException e) {
                throw new WrongValueException("key " + row + " cannot be decoded: " + e.getMessage());
            }
        }

        /** Whether what was read is one of some values; of those that are equally long where the content is not looked at. */
        boolean isOneOf(AnyOf values, boolean content) {
            return content ? values.has(value, length) : values.hasLength(length);
        }

        /** Bytes of the column that came to the client: of the server's decoding the decoded ones. */
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
                read(0); // so that this connection has executed a statement, whichever it is
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
