package dev.blobmark.mysql.table;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.ListSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * Reads a sample of a column in small batches. Each batch begins at a random position between the ends of the table's
 * key and follows the order of the key, so that the server reads only those rows. Each statement is a read-only
 * transaction of its own, so that no old view of the table is kept. After each batch, there is a pause as long as the
 * batch took.
 *
 * <p>The server ends a statement that exceeds the time limit. The rest of its rows is then read in smaller batches. A
 * single row that takes too long is skipped and counted.
 *
 * <p>Positions are uniform over the key, not over rows: a row is more likely to be read if the keys around it are
 * sparse, or if few rows share its first key column.
 */
public final class TableSample {

    /** Of the origin of a sample: how many of its values were decoded. */
    public static final String DECODED = "decoded";

    private static final int BATCH_ROWS = 8;

    private static final long MIN_PAUSE_NANOS = 5_000_000;

    /** The most rows read per value of a full sample, because some rows have no usable value. */
    private static final int ROWS_PER_VALUE = 4;

    /** After this many consecutive ranges without a new row, the sample is complete. */
    private static final int MAX_RANGES_WITHOUT_NEW_ROW = 100;

    /** The most statements over the time limit before there is a value. */
    private static final int MAX_OVER_TIME_WITHOUT_VALUE = 20;

    private static final int MAX_OVER_TIME = 100;

    /** Ended for its time: ER_QUERY_TIMEOUT of MySQL, ER_STATEMENT_TIMEOUT of MariaDB. */
    private static final Set<Integer> OVER_TIME = Set.of(3024, 1969);

    /** ER_QUERY_INTERRUPTED: what MySQL 9.7.4 reports if several of its threads were counting. */
    private static final int INTERRUPTED = 1317;

    /** Ranges that a sample should have at least. */
    private static final int MIN_RANGES = 16;

    private final Connection connection;
    private final TableColumn column;
    private final TableKey key;
    private final KeyPositions positions;

    private final ReadingSession session;
    private final ColumnFacts facts;
    private final long maxBytes;
    private final long seed;
    private final SampleLimits limits;
    private final Pause pause;
    private final Set<List<Object>> seen = new HashSet<>();
    private final List<TableColumn.Row> rows = new ArrayList<>();
    private final List<TableColumn.KeyRange> keyRanges = new ArrayList<>();
    private final Map<String, Integer> skipped = new TreeMap<>();
    private final UnaryOperator<byte[]> reader;
    private long bytes;
    private long unsentBytes;
    private int rowsRead;
    private int batchRows;
    private int maxBatchRows = BATCH_ROWS;
    private int overTime;

    /** Time of statements that no pause has followed yet. */
    private long owedNanos;

    private boolean isFull;

    /** Values that are stored as other bytes. */
    private long decoded;

    /** Whether the table has so few rows that all are read. */
    private boolean readsAllRows;

    private long ranges;
    private Optional<Double> keyShare = Optional.empty();
    private List<Object> last = List.of();

    /** Called after each batch; may throw to stop reading. */
    public interface Pause {
        void after(long batchNanos) throws InterruptedException;
    }

    private TableSample(
            Connection connection,
            TableColumn column,
            long seed,
            SampleLimits limits,
            UnaryOperator<byte[]> reader,
            Pause pause)
            throws SQLException {
        this.reader = reader;
        this.connection = connection;
        this.column = column;
        this.seed = seed;
        this.limits = limits;
        batchRows = limits.cutBytes().isPresent() ? 1 : BATCH_ROWS;
        this.pause = pause;
        session = ReadingSession.begin(connection);
        facts = ColumnFacts.read(connection, column, session.isMariaDb());
        key = TableKey.forSample(connection, column);
        positions = new KeyPositions(key);
        maxBytes = Math.min(limits.cutBytes().orElse(TableColumn.MAX_BYTES), session.longestValue());
    }

    /**
     * Reads a sample.
     *
     * @param reader gives the value that is stored as some bytes, or the same array
     * @param file receives the values
     * @throws dev.blobmark.mysql.table.DatasetException if the column has no usable values, or none could be read in
     *     the time of a statement
     */
    public static TableColumn.Sample read(
            Connection connection,
            TableColumn column,
            long seed,
            SampleLimits limits,
            UnaryOperator<byte[]> reader,
            Path file,
            Pause pause)
            throws SQLException, IOException, InterruptedException {
        TableSample sample = new TableSample(connection, column, seed, limits, reader, pause);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            sample.read(out);
        }
        TreeMap<String, Long> origin = new TreeMap<>(Map.of("key ranges read", sample.ranges));
        sample.keyShare.ifPresent(share -> origin.put("of all keys, ppm", Math.round(1e6 * Math.min(1, share))));
        if (sample.decoded > 0) {
            origin.put(DECODED, sample.decoded);
        }
        return new TableColumn.Sample(
                file, sample.rows, sample.keyRanges, sample.skipped, origin, sample.facts.level(), sample.whole());
    }

    /** The number of rows; empty if the server cannot count them in a time, in milliseconds. */
    public static OptionalLong countRows(Connection connection, TableColumn column, int millis) throws SQLException {
        ReadingSession session = ReadingSession.begin(connection);
        session.limitStatements(millis);
        try {
            return OptionalLong.of(
                    session.number("SELECT COUNT(*) FROM " + TableKey.quoted(column.schema(), column.table())));
        } catch (SQLException e) {
            if (e.getErrorCode() != INTERRUPTED) {
                requireOverTime(e);
            }
            return OptionalLong.empty();
        } finally {
            session.limitStatements(ReadingSession.METADATA_MILLIS);
        }
    }

    /** All rows: counted if all have been read, otherwise estimated from the server's figures and the sample. */
    private Whole whole() throws SQLException {
        ColumnFacts.TableEstimates table = facts.table();
        boolean isCounted = readsAllRows && !isFull;
        long values = rows.size();
        long valueBytes = bytes;
        if (!isCounted) {
            double share = (double) Math.max(table.rows().orElse(0), rowsRead) / rowsRead;
            values = Math.round(share * values);
            valueBytes = Math.round(share * valueBytes);
        }
        return new Whole(
                values,
                valueBytes,
                !isCounted,
                isCounted ? OptionalLong.of(rowsRead) : table.rows(),
                table.bytes(),
                Optional.of(facts.columnType()));
    }

    private void read(OutputStream out) throws SQLException, IOException, InterruptedException {
        long tableBytes = facts.table().bytes().orElse(0);
        session.limitStatements(limits.statementMillis());
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {seed, 0});
        Optional<List<List<Object>>> all = allIfFew();
        if (all.isEmpty()) {
            readDrawn(random, out);
        } else if (tableBytes > limits.maxBytes()) {
            readShuffled(all.get(), random, out);
        } else {
            readAll(out);
        }
        session.limitStatements(ReadingSession.METADATA_MILLIS);
        if (rows.isEmpty()) {
            if (overTime > 0) {
                throw nothingInTime();
            }
            throw column.problem(
                    "none of the " + rowsRead + " rows that were read has a usable value (skipped: " + skipped + ")",
                    "name a column with values of 1 to " + maxBytes + " bytes");
        }
    }

    /** All keys, if they are no more than the values of a full sample. */
    private Optional<List<List<Object>>> allIfFew() throws SQLException {
        long begin = System.nanoTime();
        try {
            return Optional.of(positions.first(limits.maxValues() + 1))
                    .filter(keys -> keys.size() <= limits.maxValues());
        } catch (SQLException e) {
            requireOverTime(e);
            return Optional.empty();
        } finally {
            owedNanos += System.nanoTime() - begin;
        }
    }

    /** Reads few rows that may not all fit: one by one in a random order, so that those read are from everywhere. */
    private void readShuffled(List<List<Object>> keys, UniformRandomProvider random, OutputStream out)
            throws SQLException, IOException, InterruptedException {
        ListSampler.shuffle(random, keys);
        for (int i = 0; i < keys.size() && !isFull; i++) {
            batchRows = 1;
            batch(key.from(keys.get(i)), out);
        }
        readsAllRows = !isFull;
        keyShare = Optional.of((double) keyRanges.size() / keys.size());
    }

    private void readAll(OutputStream out) throws SQLException, IOException, InterruptedException {
        readsAllRows = true;
        Optional<TableKey.Range> rest = Optional.of(key.all());
        while (rest.isPresent() && !isFull) {
            rest = batch(rest.get(), out).rest;
        }
        if (rowsRead == 0 && overTime == 0) {
            throw column.problem("the table is empty", "name one that has rows");
        }
        keyShare = Optional.of(1.0);
    }

    private void readDrawn(UniformRandomProvider random, OutputStream out)
            throws SQLException, IOException, InterruptedException {
        for (int withoutNewRow = 0; withoutNewRow < MAX_RANGES_WITHOUT_NEW_ROW && !isFull; withoutNewRow++) {
            int before = seen.size();
            Optional<TableKey.Range> drawn = draw(random);
            Optional<TableKey.Range> rest = drawn;
            if (drawn.isEmpty()) {
                pauseSince(System.nanoTime());
            }
            while (rest.isPresent() && !isFull) {
                BatchResult batch = batch(rest.get(), out);
                rest = batch.isCut ? batch.rest : Optional.empty();
            }
            if (seen.size() > before) {
                withoutNewRow = -1;
                Optional<Double> more = positions.share(drawn.orElseThrow(), last);
                keyShare = more.map(share -> keyShare.orElse(0.0) + share);
            }
        }
    }

    /** A random range; empty if its position could not be found in time. */
    private Optional<TableKey.Range> draw(UniformRandomProvider random) throws SQLException {
        long begin = System.nanoTime();
        try {
            return Optional.of(positions
                    .drawn(random)
                    .orElseThrow(() ->
                            column.problem("the table has become empty while it was read", "name one that has rows")));
        } catch (SQLException e) {
            countOverTime(e);
            return Optional.empty();
        } finally {
            owedNanos += System.nanoTime() - begin;
        }
    }

    /**
     * The result of a statement.
     *
     * @param isCut whether the server ended it before all of its rows were read
     * @param rest the rows after those that were read or skipped; empty if there are none, or if the range is given up
     */
    private record BatchResult(boolean isCut, Optional<TableKey.Range> rest) {}

    /** Reads the first rows of a range and adds the new ones. */
    private BatchResult batch(TableKey.Range range, OutputStream out)
            throws SQLException, IOException, InterruptedException {
        long begin = System.nanoTime();
        boolean isCut = false;
        int limit = batchRows;
        int count = 0;
        int rowsBefore = rowsRead;
        int valuesBefore = rows.size();
        long bytesBefore = bytes + unsentBytes;
        String value = facts.value();
        String length = facts.length();
        String taken = limits.cutBytes().isPresent()
                ? "LEFT(" + value + ", " + maxBytes + ")"
                : "IF(" + length + " <= " + maxBytes + ", " + value + ", NULL)";
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT " + length + ", " + taken + ", " + key.selected() + range.sql() + " LIMIT " + limit)) {
            select.setFetchSize(1); // one row in memory at a time
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                for (; !isFull && row.next(); count++) {
                    last = positions.sampled(row, 3);
                    if (seen.add(last)) {
                        add(row, out);
                    }
                }
            }
        } catch (SQLException e) {
            countOverTime(e);
            isCut = true;
        }
        ranges++;
        if (rowsRead > rowsBefore) {
            keyRanges.add(new TableColumn.KeyRange(
                    rowsRead - rowsBefore, rows.size() - valuesBefore, bytes + unsentBytes - bytesBefore));
        }
        pauseSince(begin);
        TableKey.Range rest = count > 0 ? key.after(last) : range;
        if (!isCut) {
            long meanBytes = Math.max(1, bytes / Math.max(1, rowsRead));
            // not by the time that it took, so that the same seed gives the same sample
            batchRows = (int) Math.max(1, Math.min(Math.min(maxBatchRows, 2 * limit), maxRangeBytes() / meanBytes));
            return new BatchResult(false, count == limit ? Optional.of(rest) : Optional.empty());
        }
        if (limit > 1) {
            maxBatchRows = limit / 2;
            batchRows = maxBatchRows;
            return new BatchResult(true, Optional.of(rest));
        }
        return skipFirst(rest);
    }

    /** The bytes of a range, so that a full sample is from several of them even if values are long. */
    private long maxRangeBytes() {
        return limits.maxBytes() / MIN_RANGES;
    }

    /** Skips a row that alone takes too long. Another range is then read, unless all rows are. */
    private BatchResult skipFirst(TableKey.Range range) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        try {
            Optional<List<Object>> first = positions.first(range);
            if (first.isPresent()) {
                last = first.get();
                if (seen.add(last)) {
                    skipped.merge("took longer than " + limits.statementMillis() + " ms", 1, Integer::sum);
                }
            }
            return new BatchResult(readsAllRows, first.map(key::after).filter(rest -> readsAllRows));
        } catch (SQLException e) {
            countOverTime(e);
            return new BatchResult(readsAllRows, Optional.of(range).filter(rest -> readsAllRows));
        } finally {
            pauseSince(begin);
        }
    }

    private void pauseSince(long beginNanos) throws InterruptedException {
        long took = owedNanos + System.nanoTime() - beginNanos;
        owedNanos = 0;
        pause.after(Math.max(MIN_PAUSE_NANOS, took));
    }

    private static void requireOverTime(SQLException e) throws SQLException {
        if (!OVER_TIME.contains(e.getErrorCode())) {
            throw e;
        }
    }

    /** Ends the sample after too many statements over the limit, or rethrows an exception for another reason. */
    private void countOverTime(SQLException e) throws SQLException {
        requireOverTime(e);
        overTime++;
        if (rows.isEmpty() && overTime == MAX_OVER_TIME_WITHOUT_VALUE) {
            throw nothingInTime();
        }
        isFull |= overTime >= MAX_OVER_TIME;
    }

    private DatasetException nothingInTime() {
        return column.problem(
                "no value could be read within " + limits.statementMillis() + " ms (the server ended " + overTime
                        + " statements for their time)",
                "allow more time for a statement, or read when the server has less to do");
    }

    private void add(ResultSet row, OutputStream out) throws SQLException, IOException {
        long length = row.getLong(1);
        boolean isNull = row.wasNull();
        byte[] stored = row.getBytes(2);
        byte[] value = stored == null ? null : reader.apply(stored);
        if (value != stored) {
            length = value.length;
            decoded++;
        }
        rowsRead++;
        if (value == null || length == 0) {
            String reason = isNull ? "NULL" : length == 0 ? "empty" : "longer than " + maxBytes + " bytes";
            skipped.merge(reason, 1, Integer::sum);
            // InnoDB reads the whole value to find its length (MySQL 9.7.4, MariaDB 11.4.5), and so does LEFT()
            unsentBytes += length;
        } else if (bytes + value.length > limits.maxBytes()) {
            // to continue with shorter values would distort the distribution
            isFull = true;
        } else {
            out.write(value);
            rows.add(new TableColumn.Row(bytes, value.length, length));
            bytes += value.length;
            unsentBytes += length - value.length;
        }
        isFull |= unsentBytes > limits.maxUnsentBytes();
        isFull |= rows.size() == limits.maxValues() || rowsRead == ROWS_PER_VALUE * limits.maxValues();
    }
}
