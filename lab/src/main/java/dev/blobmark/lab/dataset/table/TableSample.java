package dev.blobmark.lab.dataset.table;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.Whole;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
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
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * Reads a sample of a column by ranges of its table's key, each from a place drawn between the key's ends: a few rows at a time, in
 * the order of the key, so that the server reads those rows and no others. Each statement is a read-only transaction of its own, so
 * that no old view of the table is held, and may take {@value #STATEMENT_SECONDS} s at most. Between two batches there is a pause as
 * long as the last one took.
 *
 * <p>Ranges count alike, not rows: where keys lie far apart, and below the first column of a key of several where it has few rows,
 * a row is more likely to be met.
 */
public final class TableSample {

    private static final int BATCH_ROWS = 8;
    private static final int STATEMENT_SECONDS = 10;
    private static final long LEAST_PAUSE_NANOS = 5_000_000;

    /** So many rows are looked at for each that may be taken: others have no value. */
    private static final int LOOKED_AT = 4;

    /** So many ranges without a row that is new, one after another, are taken for the end of the table. */
    private static final int MOST_IN_VAIN = 100;

    /** A packet has a little more than the value in it. */
    private static final int PACKET_OVERHEAD_BYTES = 65_536;

    private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143);
    private static final int NO_SUCH_SCHEMA = 1049;
    private static final int NO_SUCH_TABLE = 1146;
    private static final Set<String> BYTES =
            Set.of("tinyblob", "blob", "mediumblob", "longblob", "binary", "varbinary");
    private static final Set<String> TEXT = Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");
    private static final String JSON = "json";
    private static final int UNKNOWN_VARIABLE = 1193;

    /** The longest VARBINARY that is measured, in bytes. */
    private static final int MAX_VARBINARY = 65_529;

    private final Connection connection;
    private final TableColumn column;
    private final TableKey key;
    private final String value;
    private final long longest;
    private final long seed;
    private final Pause pause;
    private final Set<List<Object>> seen = new HashSet<>();
    private final List<TableColumn.Row> rows = new ArrayList<>();
    private final Map<String, Integer> skipped = new TreeMap<>();
    private long bytes;
    private long passedOverBytes;
    private int lookedAt;
    private boolean isFull;
    private boolean isMariaDb;

    /** Whether the table has so few rows that all were to be read. */
    private boolean isRead;

    private long ranges;
    private Optional<Double> keyShare = Optional.empty();
    private List<Object> last = List.of();

    /** Runs between two batches, and may throw. */
    public interface Pause {
        void after(long batchNanos) throws InterruptedException;
    }

    private TableSample(Connection connection, TableColumn column, long seed, Pause pause) throws SQLException {
        this.connection = connection;
        this.column = column;
        this.seed = seed;
        this.pause = pause;
        prepare();
        Map<String, String> types = types();
        value = value(types);
        key = TableKey.of(connection, column, types);
        longest = Math.min(TableColumn.MAX_BYTES, number("SELECT @@max_allowed_packet") - PACKET_OVERHEAD_BYTES);
    }

    /**
     * @param file is written; holds the values afterwards
     * @throws dev.blobmark.lab.dataset.DatasetException if there are none to be had, with the mend
     */
    public static TableColumn.Sample read(Connection connection, TableColumn column, long seed, Path file, Pause pause)
            throws SQLException, IOException, InterruptedException {
        TableSample sample = new TableSample(connection, column, seed, pause);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            sample.read(out);
        }
        TreeMap<String, Long> origin = new TreeMap<>(Map.of("key ranges read", sample.ranges));
        sample.keyShare.ifPresent(share -> origin.put("of all keys, ppm", Math.round(1e6 * Math.min(1, share))));
        return new TableColumn.Sample(file, sample.rows, sample.skipped, origin, sample.columnLevel(), sample.whole());
    }

    /** The column's type as a level of the factor {@code column}; VARCHAR and CHAR are taken for TEXT. */
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

    /** All rows: counted if all have been read, and otherwise what the server says of the table and the sample of the column. */
    private Whole whole() throws SQLException {
        Map<String, String> table = Sql.row(
                connection,
                "SELECT table_rows, data_length FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                column.schema(),
                column.table());
        OptionalLong tableRows = parsed(table.get("table_rows"));
        boolean isCounted = isRead && !isFull;
        long values = rows.size();
        long valueBytes = bytes;
        if (!isCounted) {
            double share = (double) Math.max(tableRows.orElse(0), lookedAt) / lookedAt;
            values = Math.round(share * values);
            valueBytes = Math.round(share * valueBytes);
        }
        return new Whole(
                values,
                valueBytes,
                !isCounted,
                isCounted ? OptionalLong.of(lookedAt) : tableRows,
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
        Sql.execute(
                connection,
                isMariaDb
                        ? "SET SESSION max_statement_time = " + STATEMENT_SECONDS
                        : "SET SESSION max_execution_time = " + STATEMENT_SECONDS * 1_000);
        if (!isMariaDb) {
            try { // otherwise what it says of the table's size may be a day old
                Sql.execute(connection, "SET SESSION information_schema_stats_expiry = 0");
            } catch (SQLException e) {
                if (e.getErrorCode() != UNKNOWN_VARIABLE) { // before 8.0
                    throw e;
                }
            }
        }
    }

    private long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Of the table's columns by their names; a table that cannot be read is told from one that is not there by trying. */
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
                        "correct the name, or name the server that has it, by --data-server");
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
                                "it is a view, which has no key to sample by", "name the table that the view reads");
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

    /** The expression of a value's bytes; text is as it is stored, JSON as its text. */
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
        if (key.hasAtMost(TableColumn.MAX_ROWS)) {
            isRead = true;
            TableKey.Range range = key.whole();
            while (batch(range, out) && !isFull) {
                range = key.behind(last);
            }
            if (lookedAt == 0) {
                throw column.problem("the table is empty", "name one that has rows");
            }
            keyShare = Optional.of(1.0);
        } else {
            UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {seed, 0});
            for (int inVain = 0; inVain < MOST_IN_VAIN && !isFull; inVain++) {
                int before = seen.size();
                TableKey.Range range = key.drawn(random)
                        .orElseThrow(
                                () -> column.problem("the table has been emptied meanwhile", "name one that has rows"));
                batch(range, out);
                if (seen.size() > before) {
                    inVain = -1;
                    Optional<Double> more = key.share(range, last);
                    keyShare = more.map(share -> keyShare.orElse(0.0) + share);
                }
            }
        }
        if (rows.isEmpty()) {
            throw column.problem(
                    "none of the " + lookedAt + " rows looked at has a value to take (skipped: " + skipped + ")",
                    "name a column with values of 1 to " + longest + " bytes");
        }
    }

    /** Takes the rows of a range's beginning that are new; false where it had fewer than were asked for. */
    private boolean batch(TableKey.Range range, OutputStream out)
            throws SQLException, IOException, InterruptedException {
        long begin = System.nanoTime();
        int met = 0;
        try (PreparedStatement select =
                connection.prepareStatement("SELECT LENGTH(" + value + "), IF(LENGTH(" + value + ") <= " + longest
                        + ", " + value + ", NULL), " + key.columns() + range.sql() + " LIMIT " + BATCH_ROWS)) {
            select.setFetchSize(1); // a row is in memory at a time
            range.bind(select);
            try (ResultSet row = select.executeQuery()) {
                for (; !isFull && row.next(); met++) {
                    last = key.read(row, 3);
                    if (seen.add(last)) {
                        take(row, out);
                    }
                }
            }
        }
        ranges++;
        pause.after(Math.max(LEAST_PAUSE_NANOS, System.nanoTime() - begin));
        return met == BATCH_ROWS;
    }

    private void take(ResultSet row, OutputStream out) throws SQLException, IOException {
        long length = row.getLong(1);
        boolean isNull = row.wasNull();
        byte[] value = row.getBytes(2);
        lookedAt++;
        if (value == null || length == 0) {
            String reason = isNull ? "NULL" : length == 0 ? "empty" : "longer than " + longest + " bytes";
            skipped.merge(reason, 1, Integer::sum);
            // InnoDB has read all of it to find its length (MySQL 9.7.4, MariaDB 11.4.5); LEFT() reads as much
            passedOverBytes += length;
            isFull = passedOverBytes > TableColumn.MAX_TOTAL_BYTES;
        } else if (bytes + value.length > TableColumn.MAX_TOTAL_BYTES) {
            // to go on with shorter ones would bend the distribution
            isFull = true;
        } else {
            out.write(value);
            rows.add(new TableColumn.Row(bytes, value.length));
            bytes += value.length;
        }
        isFull |= rows.size() == TableColumn.MAX_ROWS || lookedAt == LOOKED_AT * TableColumn.MAX_ROWS;
    }
}
