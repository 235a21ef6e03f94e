package dev.blobmark.lab.workload;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.client.TimeAccount.Part;
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
 * Writes batches of rows. Timed: encoding, binding, the round trip, and the commit where one is due; the raw values are
 * brought to hand before. What was written is read back through the same connection, so that it is seen before the commit.
 *
 * <p>A deadlock rolls back the whole transaction. Its earlier operations, which have been booked, are then done again
 * within the time of the one that met it.
 */
abstract class Write implements Operation {

    /** So many application bytes of a batch are held in memory at most. */
    private static final long MOST_BATCH_BYTES = 256 << 20;

    final Setup setup;
    final int batch;

    /** The values as they are. */
    final EncodedValues raw;

    final Connection connection;
    private final Traffic traffic;
    final Dialect dialect;
    private final Connector connector;
    private final Codec codec;
    private final Commit commit;
    private final byte[] encoded;
    private final byte[] decoded;

    /** What the operation in hand writes: to which keys, and which values. */
    private final int[] keys;

    private final int[] indexes;
    private final byte[][] values;

    /** Keys and values of the transaction's operations so far; those of the one in hand follow them. */
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
        codec = design.get(StoredCodec.FACTOR);
        raw = codec.isIdentity()
                ? setup.values()
                : setup.values()
                        .as(StoredCodec.FACTOR.parse(
                                StoredCodec.FACTOR.defaultLevel().orElseThrow()));
        int maxLength = raw.maxLength();
        if ((long) batch * maxLength > MOST_BATCH_BYTES) {
            throw new IllegalArgumentException("a batch of " + batch + " values of up to " + maxLength
                    + " bytes is more than " + MOST_BATCH_BYTES + " bytes; lower batch, or take smaller values");
        }
        encoded = new byte[codec.isIdentity() ? 0 : codec.maxEncodedLength(maxLength)];
        decoded = new byte[codec.isIdentity() ? 0 : maxLength];
        keys = new int[batch];
        indexes = new int[batch];
        values = new byte[batch][0];
    }

    /** Works on a table from now on. @param isAtomic whether a batch is a single statement */
    final void aimAt(String table, String sql, boolean isAtomic) throws SQLException {
        if (write != null) {
            write.close();
            readBack.close();
        }
        connection.setAutoCommit(commit.operations() == 1 && (isAtomic || batch == 1));
        write = connection.prepareStatement(sql);
        readBack = connection.prepareStatement(dialect.select(table, Decode.APPLICATION));
    }

    /** Takes a value to hand, by its number, for a row of the batch, by its place. */
    final void take(int place, int key, int index) {
        int at = 2 * (transactionRows + place);
        if (at >= transaction.length) {
            transaction = Arrays.copyOf(transaction, Math.max(2 * batch, 2 * transaction.length));
        }
        transaction[at] = key;
        transaction[at + 1] = index;
        hold(place, key, index);
    }

    private void hold(int place, int key, int index) {
        keys[place] = key;
        indexes[place] = index;
        if (values[place].length != raw.length(index)) {
            values[place] = new byte[raw.length(index)];
        }
        raw.copyStored(index, values[place]);
    }

    private void hold(int firstRow) {
        for (int place = 0; place < batch; place++) {
            int at = 2 * (firstRow + place);
            hold(place, transaction[at], transaction[at + 1]);
        }
    }

    /** Executes the batch in hand; returns how many rows the server says it has written. */
    abstract int execute(PreparedStatement write) throws SQLException;

    /** The key of a row of the batch in hand. */
    final int key(int place) {
        return keys[place];
    }

    /** The value of a row of the batch in hand as it is stored: an array of its own, as drivers want it. */
    final byte[] encoded(int place) {
        byte[] stored = values[place];
        if (!codec.isIdentity()) {
            traffic.time().book(Part.CLIENT);
            int length = codec.encode(stored, 0, stored.length, encoded, 0);
            traffic.time().book(Part.DECODE);
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
                    hold(done);
                    execute(write);
                }
                hold(transactionRows);
                isRolledBack = false;
            }
            storedBytes = 0;
            written = execute(write);
            transactionRows += batch;
            completed();
        } catch (SQLException e) {
            if (dialect.rollsBack(e)) {
                isRolledBack |= transactionRows > 0;
                // a server may have ended the transaction, or wait for the client to do it
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

    /** An operation of the transaction has been done, and is committed if that is due. */
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
                throw new WrongValueException("key " + key + " is not there after it was written");
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
                        && !mayBeAnothers(value, length)) {
            throw new WrongValueException("key " + key + " gave other bytes than were written");
        }
    }

    /** Whether it may be that another worker has written this since. */
    boolean mayBeAnothers(byte[] value, int length) {
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

    /** What the warm-up has written is committed before. */
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
            // the server has ended it then; what was to be committed has been
        }
    }
}
