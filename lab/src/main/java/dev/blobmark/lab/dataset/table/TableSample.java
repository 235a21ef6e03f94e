package dev.blobmark.lab.dataset.table;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.DatasetException;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.Whole;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
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

    private static final int BATCH_ROWS = 8;

    /** The time limit of statements that do not read the table. */
    private static final int METADATA_MILLIS = 10_000;

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

    /** Ranges that a sample should have at least. */
    private static final int MIN_RANGES = 16;

    /** More than a packet contains besides the value. */
    private static final int PACKET_OVERHEAD_BYTES = 65_536;

    private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143);
    private static final int NO_SUCH_SCHEMA = 1049;
    private static final int NO_SUCH_TABLE = 1146;
    private static final Set<String> BYTES =
            Set.of("tinyblob", "blob", "mediumblob", "longblob", "binary", "varbinary");
    private static final Set<String> TEXT = Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");
    private static final String JSON = "json";
    private static final int UNKNOWN_VARIABLE = 1193;

    /** The maxBytes VARBINARY that is measured, in bytes. */
    private static final int MAX_VARBINARY = 65_529;

    private final Connection connection;
    private final TableColumn column;
    private final TableKey key;

    /** Expressions for a value's length and its bytes. */
    private final String length;

    private final String value;
    private final long maxBytes;
    private final long seed;
    private final Limits limits;
    private final Pause pause;
    private final Set<List<Object>> seen = new HashSet<>();
    private final List<TableColumn.Row> rows = new ArrayList<>();
    private final List<TableColumn.KeyRange> keyRanges = new ArrayList<>();
    private final Map<String, Integer> skipped = new TreeMap<>();
    private long bytes;
    private long unsentBytes;
    private int rowsRead;
    private int batchRows;
    private int maxBatchRows = BATCH_ROWS;
    private int overTime;

    /** Time of statements that no pause has followed yet. */
    private long owedNanos;

    private boolean isFull;
    private boolean isMariaDb;

    /** Whether the table has so few rows that all are read. */
    private boolean readsAllRows;

    private long ranges;
    private Optional<Double> keyShare = Optional.empty();
    private List<Object> last = List.of();

    /**
     * The most that is read.
     *
     * @param maxValues at least 1; four times as many rows may be read for them
     * @param maxBytes of all values together, at least 1
     * @param statementMillis the time after which the server ends a statement that reads the table, at least 1
     * @param cutBytes of a longer value, only the first of these bytes are taken; if empty, a value is taken whole, or
     *     skipped if it is longer than {@link TableColumn#MAX_BYTES}
     */
    public record Limits(int maxValues, long maxBytes, int statementMillis, OptionalInt cutBytes) {

        /** The limits of a study's samples: fewer bytes than from files, to spare the user's server. */
        public static final Limits OF_STUDY = new Limits(1_000, 256L << 20, 10_000);

        public Limits {
            if (maxValues < 1 || maxBytes < 1 || statementMillis < 1 || cutBytes.orElse(1) < 1) {
                throw new IllegalArgumentException("a limit of a sample is less than 1: " + maxValues + " values, "
                        + maxBytes + " bytes, " + statementMillis + " ms, " + cutBytes + " bytes of a value");
            }
        }

        /** Limits with which each value is taken whole. */
        public Limits(int maxValues, long maxBytes, int statementMillis) {
            this(maxValues, maxBytes, statementMillis, OptionalInt.empty());
        }

        /** The most bytes that the server reads for lengths alone: of values that are cut or skipped. */
        private long maxUnsentBytes() {
            return cutBytes.isEmpty() ? maxBytes : 32 * maxBytes;
        }
    }

    /** Called after each batch; may throw to stop reading. */
    public interface Pause {
        void after(long batchNanos) throws InterruptedException;
    }

    private TableSample(Connection connection, TableColumn column, long seed, Limits limits, Pause pause)
            throws SQLException {
        this.connection = connection;
        this.column = column;
        this.seed = seed;
        this.limits = limits;
        batchRows = limits.cutBytes.isPresent() ? 1 : BATCH_ROWS;
        this.pause = pause;
        prepare();
        Map<String, String> types = types();
        value = value(types);
        // without the conversion to bytes, which gives NULL for text that is longer than max_allowed_packet
        length = value.startsWith("CAST(CAST(")
                ? "LENGTH(" + value + ")"
                : "LENGTH(" + TableKey.quoted(column.column()) + ")";
        key = TableKey.of(connection, column, types);
        maxBytes = Math.min(
                limits.cutBytes.orElse(TableColumn.MAX_BYTES),
                number("SELECT @@max_allowed_packet") - PACKET_OVERHEAD_BYTES);
    }

    /**
     * Reads a sample.
     *
     * @param file receives the values
     * @throws dev.blobmark.lab.dataset.DatasetException if the column has no usable values, or none could be read in
     *     the time of a statement
     */
    public static TableColumn.Sample read(
            Connection connection, TableColumn column, long seed, Limits limits, Path file, Pause pause)
            throws SQLException, IOException, InterruptedException {
        TableSample sample = new TableSample(connection, column, seed, limits, pause);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            sample.read(out);
        }
        TreeMap<String, Long> origin = new TreeMap<>(Map.of("key ranges read", sample.ranges));
        sample.keyShare.ifPresent(share -> origin.put("of all keys, ppm", Math.round(1e6 * Math.min(1, share))));
        return new TableColumn.Sample(
                file, sample.rows, sample.keyRanges, sample.skipped, origin, sample.columnLevel(), sample.whole());
    }

    /** The column's type as a level of the factor {@code column}; VARCHAR and CHAR become TEXT. */
    private String columnLevel() throws SQLException {
        Map<String, String> facts = columnFacts();
        String type = facts.get("data_type");
        if (type.equals("longtext") && isJsonOfMariaDb()) {
            return JSON;
        }
        String compressed = facts.get("column_type").contains("COMPRESSED") ? "-compressed" : "";
        return switch (type) {
            case JSON -> JSON;
            case "tinyblob", "blob" -> "blob" + compressed;
            case "binary", "varbinary" -> {
                int length = Integer.parseInt(facts.get("character_maximum_length"));
                yield length > MAX_VARBINARY ? "blob" : "varbinary(" + length + ")";
            }
            case "char", "varchar" -> "text" + compressed + ":" + facts.get("collation_name");
            case "tinytext", "text", "mediumtext", "longtext" -> type + compressed + ":" + facts.get("collation_name");
            default -> type + compressed;
        };
    }

    private Map<String, String> columnFacts() throws SQLException {
        return Sql.row(
                connection,
                "SELECT data_type, column_type, character_maximum_length, collation_name FROM information_schema.columns"
                        + " WHERE table_schema = ? AND table_name = ? AND column_name = ?",
                column.schema(),
                column.table(),
                column.column());
    }

    /** MariaDB's JSON is a LONGTEXT with a check that the column is valid JSON. */
    private boolean isJsonOfMariaDb() throws SQLException {
        return isMariaDb
                && Sql.row(
                                connection,
                                "SELECT check_clause FROM information_schema.check_constraints"
                                        + " WHERE constraint_schema = ? AND table_name = ? AND constraint_name = ?",
                                column.schema(),
                                column.table(),
                                column.column())
                        .getOrDefault("check_clause", "")
                        .startsWith("json_valid(");
    }

    /** All rows: counted if all have been read, otherwise estimated from the server's figures and the sample. */
    private Whole whole() throws SQLException {
        Map<String, String> table = Sql.row(
                connection,
                "SELECT table_rows, data_length FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                column.schema(),
                column.table());
        OptionalLong tableRows = parsed(table.get("table_rows"));
        boolean isCounted = readsAllRows && !isFull;
        long values = rows.size();
        long valueBytes = bytes;
        if (!isCounted) {
            double share = (double) Math.max(tableRows.orElse(0), rowsRead) / rowsRead;
            values = Math.round(share * values);
            valueBytes = Math.round(share * valueBytes);
        }
        return new Whole(
                values,
                valueBytes,
                !isCounted,
                isCounted ? OptionalLong.of(rowsRead) : tableRows,
                parsed(table.get("data_length")),
                Optional.of(columnFacts().get("column_type")));
    }

    private static OptionalLong parsed(String text) {
        return text == null || text.equals("null") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }

    private void prepare() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            isMariaDb = row.getString(1).contains("MariaDB");
        }
        Sql.execute(connection, "SET SESSION TRANSACTION READ ONLY");
        limitStatements(METADATA_MILLIS);
        if (!isMariaDb) {
            try { // otherwise the table's figures may be a day old
                Sql.execute(connection, "SET SESSION information_schema_stats_expiry = 0");
            } catch (SQLException e) {
                if (e.getErrorCode() != UNKNOWN_VARIABLE) { // before MySQL 8.0
                    throw e;
                }
            }
        }
    }

    private void limitStatements(int millis) throws SQLException {
        Sql.execute(
                connection,
                isMariaDb
                        ? "SET SESSION max_statement_time = " + BigDecimal.valueOf(millis, 3)
                        : "SET SESSION max_execution_time = " + millis);
    }

    private long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * The types of the table's columns by name. Tries to read the table first, to distinguish a missing table from a
     * missing privilege.
     */
    private Map<String, String> types() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT 1 FROM " + TableKey.quoted(column.schema(), column.table()) + " LIMIT 0")
                    .close();
        } catch (SQLException e) {
            if (DENIED.contains(e.getErrorCode())) {
                throw column.problem(
                        "the account may not read the table (" + e.getMessage() + ")",
                        "GRANT SELECT ON " + TableKey.quoted(column.schema(), column.table()) + " TO " + account());
            }
            if (e.getErrorCode() == NO_SUCH_SCHEMA || e.getErrorCode() == NO_SUCH_TABLE) {
                throw column.problem(
                        "the server has no such table (" + e.getMessage() + ")",
                        "correct the name, or name the server that has the table with --data-server");
            }
            throw e;
        }
        String sql = "SELECT column_name, data_type, table_type FROM information_schema.columns c"
                + " JOIN information_schema.tables t USING (table_schema, table_name)"
                + " WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position";
        Map<String, String> types = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, column.schema());
            statement.setString(2, column.table());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getString(3).contains("VIEW")) {
                        throw column.problem(
                                "it is a view, which has no key for sampling", "name the table that the view reads");
                    }
                    types.put(row.getString(1), row.getString(2));
                }
            }
        }
        return types;
    }

    private String account() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CURRENT_USER()")) {
            row.next();
            return "'" + row.getString(1).replaceFirst("@(?=[^@]*$)", "'@'") + "'";
        }
    }

    /** The expression that selects a value's bytes: text in its stored encoding, JSON as its text. */
    private String value(Map<String, String> types) {
        String quoted = TableKey.quoted(column.column());
        String type = types.entrySet().stream()
                .filter(each -> each.getKey().equalsIgnoreCase(column.column()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> column.problem(
                        "the table has no column '" + column.column() + "'",
                        "it has " + String.join(", ", types.keySet())));
        if (BYTES.contains(type)) {
            return quoted;
        } else if (TEXT.contains(type)) {
            return "CAST(" + quoted + " AS BINARY)";
        } else if (type.equals(JSON)) {
            return "CAST(CAST(" + quoted + " AS CHAR) AS BINARY)";
        }
        String others = types.entrySet().stream()
                .filter(each -> BYTES.contains(each.getValue())
                        || TEXT.contains(each.getValue())
                        || each.getValue().equals(JSON))
                .map(Map.Entry::getKey)
                .collect(Collectors.joining(", "));
        throw column.problem(
                "the column is of type " + type + ", and holds neither bytes nor text",
                others.isEmpty() ? "name a column of another table" : "name one that does: " + others);
    }

    private void read(OutputStream out) throws SQLException, IOException, InterruptedException {
        long tableBytes = parsed(Sql.row(
                                connection,
                                "SELECT data_length FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                                column.schema(),
                                column.table())
                        .get("data_length"))
                .orElse(0);
        limitStatements(limits.statementMillis);
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {seed, 0});
        Optional<List<List<Object>>> all = allIfFew();
        if (all.isEmpty()) {
            readDrawn(random, out);
        } else if (tableBytes > limits.maxBytes) {
            readShuffled(all.get(), random, out);
        } else {
            readAll(out);
        }
        limitStatements(METADATA_MILLIS);
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
            return Optional.of(key.first(limits.maxValues + 1)).filter(keys -> keys.size() <= limits.maxValues);
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
                Batch batch = batch(rest.get(), out);
                rest = batch.isCut ? batch.rest : Optional.empty();
            }
            if (seen.size() > before) {
                withoutNewRow = -1;
                Optional<Double> more = key.share(drawn.orElseThrow(), last);
                keyShare = more.map(share -> keyShare.orElse(0.0) + share);
            }
        }
    }

    /** A random range; empty if its position could not be found in time. */
    private Optional<TableKey.Range> draw(UniformRandomProvider random) throws SQLException {
        long begin = System.nanoTime();
        try {
            return Optional.of(key.drawn(random)
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
    private record Batch(boolean isCut, Optional<TableKey.Range> rest) {}

    /** Reads the first rows of a range and adds the new ones. */
    private Batch batch(TableKey.Range range, OutputStream out) throws SQLException, IOException, InterruptedException {
        long begin = System.nanoTime();
        boolean isCut = false;
        int limit = batchRows;
        int count = 0;
        int rowsBefore = rowsRead;
        int valuesBefore = rows.size();
        long bytesBefore = bytes + unsentBytes;
        String taken = limits.cutBytes.isPresent()
                ? "LEFT(" + value + ", " + maxBytes + ")"
                : "IF(" + length + " <= " + maxBytes + ", " + value + ", NULL)";
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT " + length + ", " + taken + ", " + key.columns() + range.sql() + " LIMIT " + limit)) {
            select.setFetchSize(1); // one row in memory at a time
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                for (; !isFull && row.next(); count++) {
                    last = key.read(row, 3);
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
            return new Batch(false, count == limit ? Optional.of(rest) : Optional.empty());
        }
        if (limit > 1) {
            maxBatchRows = limit / 2;
            batchRows = maxBatchRows;
            return new Batch(true, Optional.of(rest));
        }
        return skipFirst(rest);
    }

    /** The bytes of a range, so that a full sample is from several of them even if values are long. */
    private long maxRangeBytes() {
        return limits.maxBytes / MIN_RANGES;
    }

    /** Skips a row that alone takes too long. Another range is then read, unless all rows are. */
    private Batch skipFirst(TableKey.Range range) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        try {
            Optional<List<Object>> first = key.first(range);
            if (first.isPresent()) {
                last = first.get();
                if (seen.add(last)) {
                    skipped.merge("took longer than " + limits.statementMillis + " ms", 1, Integer::sum);
                }
            }
            return new Batch(readsAllRows, first.map(key::after).filter(rest -> readsAllRows));
        } catch (SQLException e) {
            countOverTime(e);
            return new Batch(readsAllRows, Optional.of(range).filter(rest -> readsAllRows));
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
                "no value could be read within " + limits.statementMillis + " ms (the server ended " + overTime
                        + " statements for their time)",
                "allow more time for a statement, or read when the server has less to do");
    }

    private void add(ResultSet row, OutputStream out) throws SQLException, IOException {
        long length = row.getLong(1);
        boolean isNull = row.wasNull();
        byte[] value = row.getBytes(2);
        rowsRead++;
        if (value == null || length == 0) {
            String reason = isNull ? "NULL" : length == 0 ? "empty" : "longer than " + maxBytes + " bytes";
            skipped.merge(reason, 1, Integer::sum);
            // InnoDB reads the whole value to find its length (MySQL 9.7.4, MariaDB 11.4.5), and so does LEFT()
            unsentBytes += length;
        } else if (bytes + value.length > limits.maxBytes) {
            // to continue with shorter values would distort the distribution
            isFull = true;
        } else {
            out.write(value);
            rows.add(new TableColumn.Row(bytes, value.length, length));
            bytes += value.length;
            unsentBytes += length - value.length;
        }
        isFull |= unsentBytes > limits.maxUnsentBytes();
        isFull |= rows.size() == limits.maxValues || rowsRead == ROWS_PER_VALUE * limits.maxValues;
    }
}
