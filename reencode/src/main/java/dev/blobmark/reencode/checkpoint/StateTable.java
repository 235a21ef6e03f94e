package dev.blobmark.reencode.checkpoint;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.OwnTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/**
 * The tables in the schema of the data that remember a change: {@code blobmark_reencode} with the {@link State} of each
 * column, {@code blobmark_reencode_ranges} with checksums of the values, and {@code blobmark_reencode_originals} with
 * the former bytes of values from which these cannot be made again.
 *
 * <p>A process that changes a column is its owner. Another one that takes over puts its own mark there; then the
 * transactions of the first one fail.
 */
public final class StateTable {

    public static final String NAME = "blobmark_reencode";
    public static final String RANGES = NAME + "_ranges";
    public static final String ORIGINALS = NAME + "_originals";

    public static final int NO_SUCH_TABLE = 1146;
    private static final int NO_SUCH_COLUMN = 1054;

    /** How long a change that begins waits for others that begin or end, in seconds. They need a moment. */
    private static final int HOLD_SECONDS = 60;

    /** How long one that ends waits. */
    private static final int DROP_SECONDS = 2;

    private static final int MAX_KEYS = 500;

    /** Between the name of a column and the number of a part. The name of a column cannot have this character. */
    private static final char PART = '\0';

    private static final int MAX_NAME = 64;

    private final TableColumn column;
    private final String of;
    private final String owner;
    private final String states;
    private final String ranges;
    private final String originals;

    /**
     * Rows that were done in one transaction.
     *
     * @param first key of the first row
     * @param last key of the last one
     * @param checksum the sum of {@link Conversion#hash} over the rows
     */
    public record Range(List<String> first, List<String> last, int rows, long checksum) {}

    /**
     * Former bytes of a row, and a hash of its value then.
     *
     * @param stored empty if they were not changed
     */
    public record Original(List<String> key, long hash, Optional<byte[]> stored) {}

    /** @param owner mark of this process, of 36 characters */
    public StateTable(TableColumn column, String owner) {
        this(column, column.column(), owner);
    }

    /** @param of what the rows are stored under: the column's name, and the number of a part */
    private StateTable(TableColumn column, String of, String owner) {
        this.column = column;
        this.of = of;
        this.owner = owner;
        states = Names.quoted(column.schema(), NAME);
        ranges = Names.quoted(column.schema(), RANGES);
        originals = Names.quoted(column.schema(), ORIGINALS);
    }

    /** The same with another owner. */
    public StateTable ownedBy(String other) {
        return new StateTable(column, of, other);
    }

    /** That of a part of the rows. */
    public StateTable part(int number) {
        return new StateTable(column, column.column() + PART + number, owner);
    }

    /** Whether the column's name leaves room for the numbers of parts. */
    public boolean canBeDivided(int parts) {
        return (column.column() + PART + parts).length() <= MAX_NAME;
    }

    /** The state with what was done in all parts. */
    private State counted(Connection connection, State state) throws SQLException {
        if (!state.isDivided()) {
            return state;
        }
        List<Counts> parts = new ArrayList<>();
        for (int i = 0; i < state.parts(); i++) {
            part(i).read(connection)
                    .filter(part -> part.isBack() == state.isBack())
                    .map(State::counts)
                    .ifPresent(parts::add);
        }
        return state.counted(parts);
    }

    /** The table of the states. */
    public String table() {
        return states;
    }

    /**
     * Makes the tables, if they are missing, and keeps others from dropping them until {@link #release}.
     *
     * @throws ReencodeException if the user has a table of such a name
     */
    public void create(Connection connection) throws SQLException {
        if (!hold(connection, HOLD_SECONDS)) {
            throw new ReencodeException(
                    column.name(),
                    "another connection has held the lock " + lockName() + " for " + HOLD_SECONDS + " s",
                    "wait for the other change of the schema that begins or ends, or end it");
        }
        for (String table : List.of(NAME, RANGES, ORIGINALS)) {
            OwnTable.requireOwn(connection, column.schema(), table);
        }
        Sql.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS " + states
                        + " (of_table VARCHAR(64) NOT NULL, of_column VARCHAR(64) NOT NULL, owner CHAR(36) NOT NULL,"
                        + " state LONGTEXT NOT NULL, updated TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),"
                        + " PRIMARY KEY (of_table, of_column)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='"
                        + OwnTable.MARKER + "'");
        Sql.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS " + ranges
                        + " (number BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, of_table VARCHAR(64) NOT NULL, of_column"
                        + " VARCHAR(64) NOT NULL, range_rows INT UNSIGNED NOT NULL, checksum BIGINT NOT NULL, first_key"
                        + " LONGTEXT NOT NULL, last_key LONGTEXT NOT NULL, PRIMARY KEY (number), KEY (of_table, of_column))"
                        + " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='" + OwnTable.MARKER
                        + "'");
        Sql.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS " + originals
                        + " (of_table VARCHAR(64) NOT NULL, of_column VARCHAR(64) NOT NULL, key_hash BINARY(16) NOT NULL,"
                        + " value_hash BIGINT NOT NULL, original_key LONGTEXT NOT NULL, former LONGBLOB,"
                        + " PRIMARY KEY (of_table, of_column, key_hash)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
                        + " COLLATE=utf8mb4_bin COMMENT='" + OwnTable.MARKER + "'");
    }

    /** After something is remembered in the tables: only empty ones are dropped. */
    public void release(Connection connection) throws SQLException {
        Sql.strings(connection, "SELECT RELEASE_LOCK('" + lockName() + "')");
    }

    private boolean hold(Connection connection, int seconds) throws SQLException {
        return Sql.strings(connection, "SELECT GET_LOCK('" + lockName() + "', " + seconds + ")")
                .equals(List.of("1"));
    }

    private String lockName() {
        return NAME + "." + HexFormat.of().formatHex(Names.digest(column.schema()));
    }

    /**
     * The state of the column; empty if no change of it was begun.
     *
     * @throws ReencodeException if a newer version of Blobmark wrote it
     */
    public Optional<State> read(Connection connection) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT state FROM " + states + " WHERE of_table = ? AND of_column = ?")) {
            bindColumn(select, 1);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                State state = parse(row.getString(1));
                return Optional.of(counted(connection, state));
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_TABLE) {
                return Optional.empty();
            }
            if (e.getErrorCode() == NO_SUCH_COLUMN) {
                OwnTable.requireOwn(connection, column.schema(), NAME);
            }
            throw e;
        }
    }

    private State parse(String json) {
        try {
            int version = State.MAPPER.readTree(json).path("version").asInt();
            if (version > State.VERSION) {
                throw new ReencodeException(
                        column.name(),
                        "its state has version " + version + ", and this version of Blobmark reads version "
                                + State.VERSION,
                        "continue with "
                                + State.MAPPER.readTree(json).path("program").asString());
            }
            State state = State.MAPPER.readValue(json, State.class);
            if (version < State.VERSION && state.isCopying()) {
                throw new ReencodeException(
                        column.name(),
                        "its copy was begun by a version of Blobmark that did not know its tables by their numbers",
                        "take it back with " + state.program() + ", and begin again");
            }
            return state;
        } catch (JacksonException e) {
            throw new ReencodeException(
                    column.name(),
                    "its state in " + states + " is damaged: " + e.getOriginalMessage(),
                    "restore the row from a backup");
        }
    }

    /**
     * Makes this process the owner of a change that exists, after a transaction of another process that had ended. From
     * then on, nobody else advances it.
     */
    public void takeOver(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE " + states + " SET owner = ? WHERE of_table = ? AND of_column = ?")) {
            update.setString(1, owner);
            bindColumn(update, 2);
            update.executeUpdate();
        }
    }

    /** Begins a change, or continues one that was taken over. */
    public void own(Connection connection, State state) throws SQLException {
        try (PreparedStatement replace = connection.prepareStatement(
                "REPLACE INTO " + states + " (of_table, of_column, owner, state) VALUES (?, ?, ?, ?)")) {
            bindColumn(replace, 1);
            replace.setString(3, owner);
            replace.setString(4, State.MAPPER.writeValueAsString(state));
            replace.executeUpdate();
        }
    }

    /**
     * Writes the state, in the transaction of the rows that it speaks of.
     *
     * @throws ReencodeException if another process has taken over
     */
    public void write(Connection connection, State state) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE " + states
                        + " SET state = ?, updated = CURRENT_TIMESTAMP(3) WHERE of_table = ? AND of_column = ? AND owner = ?")) {
            update.setString(1, State.MAPPER.writeValueAsString(state));
            bindColumn(update, 2);
            update.setString(4, owner);
            if (update.executeUpdate() != 1) {
                throw new ReencodeException(
                        column.name(),
                        "another process has taken over the change",
                        "leave it to that one; what was not committed was not changed");
            }
        }
    }

    public void add(Connection connection, Range range) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + ranges
                + " (of_table, of_column, range_rows, checksum, first_key, last_key) VALUES (?, ?, ?, ?, ?, ?)")) {
            bindColumn(insert, 1);
            insert.setInt(3, range.rows());
            insert.setLong(4, range.checksum());
            insert.setString(5, State.MAPPER.writeValueAsString(range.first()));
            insert.setString(6, State.MAPPER.writeValueAsString(range.last()));
            insert.executeUpdate();
        }
    }

    /** The ranges after a number, by number; at most as many. */
    public List<NumberedRange> ranges(Connection connection, long after, int most) throws SQLException {
        List<NumberedRange> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT number, range_rows, checksum, first_key,"
                + " last_key FROM " + ranges
                + " WHERE of_table = ? AND of_column = ? AND number > ? ORDER BY number LIMIT "
                + most)) {
            bindColumn(select, 1);
            select.setLong(3, after);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    found.add(new NumberedRange(
                            row.getLong(1),
                            new Range(key(row.getString(4)), key(row.getString(5)), row.getInt(2), row.getLong(3))));
                }
            }
        }
        return found;
    }

    public record NumberedRange(long number, Range range) {}

    private static List<String> key(String json) {
        return List.of(State.MAPPER.readValue(json, String[].class));
    }

    public void add(Connection connection, List<Original> kept) throws SQLException {
        if (kept.isEmpty()) {
            return;
        }
        // the first original of a row is the one to go back to
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + originals
                + " (of_table, of_column, key_hash, value_hash, original_key, former) VALUES (?, ?, ?, ?, ?, ?)"
                + " ON DUPLICATE KEY UPDATE former = IF(value_hash = VALUES(value_hash), former, VALUES(former)),"
                + " value_hash = VALUES(value_hash)")) {
            for (Original original : kept) {
                String key = State.MAPPER.writeValueAsString(original.key());
                bind(insert, 1, column.column());
                insert.setBytes(3, Names.digest(key));
                insert.setLong(4, original.hash());
                insert.setString(5, key);
                insert.setBytes(6, original.stored().orElse(null));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** The former bytes of rows that were kept, by key. */
    public Map<List<String>, Original> originals(Connection connection, List<List<String>> keys) throws SQLException {
        Map<List<String>, Original> found = new HashMap<>();
        if (keys.isEmpty() || !hasOriginals(connection)) {
            return found;
        }
        for (int from = 0; from < keys.size(); from += MAX_KEYS) {
            List<List<String>> some = keys.subList(from, Math.min(keys.size(), from + MAX_KEYS));
            try (PreparedStatement select = connection.prepareStatement("SELECT original_key, value_hash, former FROM "
                    + originals + " WHERE of_table = ? AND of_column = ? AND" + " key_hash IN ("
                    + String.join(", ", Collections.nCopies(some.size(), "?")) + ")")) {
                bind(select, 1, column.column());
                for (int i = 0; i < some.size(); i++) {
                    select.setBytes(i + 3, Names.digest(State.MAPPER.writeValueAsString(some.get(i))));
                }
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        List<String> key = key(row.getString(1));
                        found.put(key, new Original(key, row.getLong(2), Optional.ofNullable(row.getBytes(3))));
                    }
                }
            }
        }
        return found;
    }

    private boolean hasOriginals(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT 1 FROM " + originals + " WHERE of_table = ? AND of_column = ? LIMIT 1")) {
            bind(select, 1, column.column());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /**
     * Forgets the checksums of a change before another one begins.
     *
     * @param withOriginals whether what was kept is not needed any more either
     */
    public void clear(Connection connection, boolean withOriginals) throws SQLException {
        clear(connection, ranges);
        if (withOriginals) {
            clear(connection, originals);
        }
    }

    /** Forgets the parts of a change. Former bytes are not of a part, but of the column. */
    public void clearParts(Connection connection, int parts) throws SQLException {
        for (int i = 0; i < parts; i++) {
            for (String table : List.of(ranges, states)) {
                part(i).clear(connection, table);
            }
        }
    }

    private void clear(Connection connection, String table) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM " + table + " WHERE of_table = ? AND of_column = ? LIMIT 10000")) {
            bindColumn(delete, 1);
            while (delete.executeUpdate() > 0) {
                // until none is left, in transactions of bounded size
            }
        }
    }

    /** Removes all that is remembered of the column, and the tables if nothing else is in them. */
    public void remove(Connection connection) throws SQLException {
        Optional<State> state = read(connection);
        if (state.isPresent() && state.get().isDivided()) {
            clearParts(connection, state.get().parts());
        }
        for (String table : List.of(originals, ranges, states)) {
            clear(connection, table);
        }
        if (!hold(connection, DROP_SECONDS)) {
            return; // another change begins, which needs them
        }
        if (Sql.strings(connection, "SELECT of_table FROM " + states + " LIMIT 1")
                .isEmpty()) {
            for (String table : List.of(ORIGINALS, RANGES, NAME)) {
                OwnTable.drop(connection, column.schema(), table);
            }
        }
        release(connection);
    }

    private void bindColumn(PreparedStatement statement, int first) throws SQLException {
        bind(statement, first, of);
    }

    private void bind(PreparedStatement statement, int first, String name) throws SQLException {
        statement.setString(first, column.table());
        statement.setString(first + 1, name);
    }
}
