package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Levels;
import java.sql.Connection;
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
    public Set<String> factors() {
        return Set.of(
                "store",
                "layout",
                "column",
                "codec",
                "decode",
                "driver",
                "statement",
                "wire-compression",
                "connection",
                "dataset",
                "size",
                "rows",
                "link",
                "tls",
                "threads",
                "rate");
    }

    @Override
    public boolean usesTable() {
        return true;
    }

    @Override
    public boolean typesApart() {
        return false;
    }

    /** The statement by which a value is read. */
    static String sql(String schema, String table, Decode decode) {
        return "SELECT " + (decode == Decode.SERVER ? "UNCOMPRESS(data)" : "data") + " FROM `" + schema + "`.`" + table
                + "` WHERE id = ?";
    }

    @Override
    public Operation open(Setup setup) throws SQLException {
        Levels levels = setup.levels();
        Traffic traffic = new Traffic();
        Connection connection = Driver.connect(setup.endpoint(), setup.schema(), levels, traffic);
        try {
            return new Select(
                    connection, traffic, setup, Decode.FACTOR.of(levels), StatementProtocol.FACTOR.of(levels));
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Deadlock, lock wait time-out, too many concurrent transactions, a temporary error of NDB's. */
    private static final Set<Integer> TRANSIENT = Set.of(1213, 1205, 1637, 1297);

    static Optional<String> transientCodeOf(Exception error) {
        return error instanceof SQLException e && TRANSIENT.contains(e.getErrorCode())
                ? Optional.of(Integer.toString(e.getErrorCode()))
                : Optional.empty();
    }

    /** Drivers fall back to text without a word where they cannot prepare. */
    static void verifyEffective(Connection connection, StatementProtocol protocol) throws SQLException {
        boolean prepared = Long.parseLong(Driver.status(connection, "Com_stmt_execute")) > 0;
        if (prepared != (protocol == StatementProtocol.SERVER)) {
            throw new SQLException("statement is '" + protocol + "' by the study, but the server has "
                    + (prepared ? "" : "not ") + "executed prepared statements on this connection");
        }
    }

    static final class Select implements Operation {

        private final Connection connection;
        private final Traffic traffic;
        private final PreparedStatement select;
        private final EncodedValues values;
        private final StatementProtocol protocol;
        private final Codec codec;
        private final boolean decodes;
        private final byte[] buffer;

        private byte[] value;
        private int length;
        private int receivedLength;

        Select(Connection connection, Traffic traffic, Setup setup, Decode decode, StatementProtocol protocol)
                throws SQLException {
            this.connection = connection;
            this.traffic = traffic;
            this.values = setup.values();
            this.protocol = protocol;
            codec = StoredCodec.FACTOR.of(setup.levels());
            decodes = decode == Decode.APPLICATION && !codec.isIdentity();
            buffer = new byte[decodes ? values.maxLength() : 0];
            select = connection.prepareStatement(sql(setup.schema(), setup.table(), decode));
        }

        @Override
        public long perform(int type, int row) throws SQLException {
            select.setInt(1, row);
            try (ResultSet result = select.executeQuery()) {
                if (!result.next()) {
                    throw new WrongValueException("key " + row + " is not there");
                }
                value = result.getBytes(1);
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
            return length;
        }

        private void decode(int row) {
            try {
                length = codec.decode(value, 0, value.length, buffer, 0, buffer.length);
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
            if (length != values.length(row)) {
                throw new WrongValueException(
                        "key " + row + " gave " + length + " bytes instead of " + values.length(row));
            }
            if (content && EncodedValues.hash(value, 0, length) != values.hash(row)) {
                throw new WrongValueException("key " + row + " gave other bytes than were stored");
            }
        }

        @Override
        public Optional<String> transientCode(Exception error) {
            return transientCodeOf(error);
        }

        @Override
        public Optional<Traffic> traffic() {
            return Optional.of(traffic);
        }

        @Override
        public void verifyEffective() throws SQLException {
            Fetch.verifyEffective(connection, protocol);
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                // the server has ended it then; every answer has been had and checked
            }
        }
    }
}
