package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.TimeAccount.TimedPart;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Dialect;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.WrongValueException;
import dev.blobmark.lab.study.Design;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Writes batches of rows. Timed: encoding, binding, the round trip, and the commit if one is due. The raw values are
 * read before that. Written values are read back through the same connection, so that they are visible before the
 * commit.
 *
 * <p>A deadlock rolls back the whole transaction. Its earlier operations, which have already been counted, are then
 * repeated within the time of the operation that failed.
 */
abstract class Write implements Operation {

    /** The most application bytes of a batch, which are in memory. */
    private static final long MAX_BATCH_BYTES = 256 << 20;

    final Setup setup;
    final int batch;

    /** The unencoded values. */
    final EncodedValues raw;

    final Connection connection;
    private final Traffic traffic;
    final Dialect dialect;
    private final Connector connector;
    private final Codec codec;
    private final Commit commit;
    private final byte[] encoded;
    private final byte[] decoded;

    /** The keys, value numbers and values of the current batch. */
    private final int[] keys;

    private final int[] indexes;
    private final byte[][] values;

    /** Keys and value numbers, alternately, of the transaction's operations so far, then of the current batch. */
    private int[] transaction = new int[0];

    private int transactionRows;
    private long uncommitted;
    private boolean isRolledBack;

    private PreparedStatement write;
    private PreparedStatement readBack;
    private int written;
    private long storedBytes;

    /** @param traffic of the connection */
    Write(Connection connection, Traffic traffic, Setup setup) throws SQLException, IOException {
        this.connection = connection;
        this.traffic = traffic;
        this.setup = setup;
        Design design = setup.design();
        batch = design.get(Batch.FACTOR);
        dialect = setup.dialect();
        connector = setup.connector();
        commit = design.get(Commit.FACTOR);
        codec = setup.codec();
        raw = codec.isIdentity()
                ? setup.values()
                : setup.values()
                        .as(StoredCodec.FACTOR.parse(
                                StoredCodec.FACTOR.defaultLevel().orElseThrow()));
        int maxLength = raw.maxLength();
        if ((long) batch * maxLength > MAX_BATCH_BYTES) {
            throw new IllegalArgumentException("a batch of " + batch + " values of up to " + maxLength
                    + " bytes is more than " + MAX_BATCH_BYTES + " bytes; lower batch, or use smaller values");
        }
        encoded = new byte[codec.isIdentity() ? 0 : codec.maxEncodedLength(maxLength)];
        decoded = new byte[codec.isIdentity() ? 0 : maxLength];
        keys = new int[batch];
        indexes = new int[batch];
        values = new byte[batch][0];
    }

    /**
     * Writes to this table from now on.
     *
     * @param isAtomic whether a batch is a single statement
     */
    final void useTable(String table, String sql, boolean isAtomic) throws SQLException {
        if (write != null) {
            write.close();
            readBack.close();
        }
        connection.setAutoCommit(commit.operations() == 1 && (isAtomic || batch == 1));
        write = connection.prepareStatement(sql);
        readBack = connection.prepareStatement(dialect.select(table, Decode.APPLICATION));
    }

    /** Puts a value, given by its number, into the batch. */
    final void put(int place, int key, int index) {
        int at = 2 * (transactionRows + place);
        if (at >= transaction.length) {
            transaction = Arrays.copyOf(transaction, Math.max(2 * batch, 2 * transaction.length));
        }
        transaction[at] = key;
        transaction[at + 1] = index;
        read(place, key, index);
    }

    private void read(int place, int key, int index) {
        keys[place] = key;
        indexes[place] = index;
        if (values[place].length != raw.length(index)) {
            values[place] = new byte[raw.length(index)];
        }
        raw.copyStored(index, values[place]);
    }

    private void read(int firstRow) {
        for (int place = 0; place < batch; place++) {
            int at = 2 * (firstRow + place);
            read(place, transaction[at], transaction[at + 1]);
        }
    }

    /** Executes the current batch. Returns how many rows the server reports as written. */
    abstract int execute(PreparedStatement write) throws SQLException;

    /** The key of a row of the current batch. */
    final int key(int place) {
        return keys[place];
    }

    /** The encoded value of a row of the current batch, in an array of its own, because drivers require that. */
    final byte[] encoded(int place) {
        byte[] stored = values[place];
        if (!codec.isIdentity()) {
            traffic.time().charge(TimedPart.CLIENT);
            int length = codec.encode(stored, 0, stored.length, encoded, 0);
            traffic.time().charge(TimedPart.DECODE);
            stored = Arrays.copyOf(encoded, length);
        }
        storedBytes += stored.length;
        return stored;
    }

    @Override
    public final long perform(int type, int row) throws SQLException {
        try {
            if (isRolledBack) {
                for (int done = 0; done < transactionRows; done += batch) {
                    read(done);
                    execute(write);
                }
                read(transactionRows);
                isRolledBack = false;
            }
            storedBytes = 0;
            written = execute(write);
            transactionRows += batch;
            completed();
        } catch (SQLException e) {
            if (dialect.rollsBack(e)) {
                isRolledBack |= transactionRows > 0;
                // the server may have ended the transaction, or may expect the client to do so
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
            throw e;
        }
        long bytes = 0;
        for (byte[] value : values) {
            bytes += value.length;
        }
        return bytes;
    }

    /** Counts an operation of the transaction, and commits if that is due. */
    final void completed() throws SQLException {
        if (++uncommitted >= commit.operations()) {
            commit();
        }
    }

    private void commit() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
        uncommitted = 0;
        transactionRows = 0;
    }

    @Override
    public long storedBytes(EncodedValues values, int row) {
        return storedBytes;
    }

    @Override
    public final void verify(int type, int row, boolean content) throws SQLException {
        if (written != batch) {
            throw new WrongValueException(
                    "the server wrote " + written + " rows instead of " + batch + ", from key " + keys[0] + " on");
        }
        for (int place = 0; content && place < batch; place++) {
            readBack(place);
        }
    }

    private void readBack(int place) throws SQLException {
        int key = keys[place];
        byte[] value;
        readBack.setInt(1, key);
        try (ResultSet result = readBack.executeQuery()) {
            if (!result.next()) {
                throw new WrongValueException("key " + key + " is missing after it was written");
            }
            value = result.getBytes(1);
        }
        int length = value == null ? 0 : value.length;
        if (value != null && !codec.isIdentity()) {
            try {
                length = codec.decode(value, 0, length, decoded, 0, decoded.length);
                value = decoded;
            } catch (CodecException e) {
                throw new WrongValueException("key " + key + " cannot be decoded: " + e.getMessage());
            }
        }
        if (value == null
                || !Arrays.equals(value, 0, length, values[place], 0, values[place].length)
                        && !mayBeFromAnotherWorker(value, length)) {
            throw new WrongValueException("key " + key + " has other bytes than were written");
        }
    }

    /** Whether another worker may have written this value since. */
    boolean mayBeFromAnotherWorker(byte[] value, int length) {
        return false;
    }

    @Override
    public final Optional<Traffic> traffic() {
        return Optional.of(traffic);
    }

    @Override
    public final Optional<String> transientCode(Exception error) {
        return dialect.transientCode(error);
    }

    @Override
    public final void verifyEffective() throws SQLException {
        connector.verifyStatements(connection);
    }

    /** Commits what the warm-up has written. */
    @Override
    public void beginWindow() throws SQLException {
        commit();
    }

    @Override
    public final void endWindow() throws SQLException {
        if (uncommitted > 0) {
            commit();
        }
    }

    @Override
    public final void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // the server has closed it; everything has been committed
        }
    }
}
