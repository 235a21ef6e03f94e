package dev.blobmark.mysql.table;

import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** What the server says of a column and its table, and the expressions that select a value of it. */
final class ColumnFacts {

    private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143);
    private static final int NO_SUCH_SCHEMA = 1049;
    private static final int NO_SUCH_TABLE = 1146;
    private static final Set<String> BYTES =
            Set.of("tinyblob", "blob", "mediumblob", "longblob", "binary", "varbinary");
    private static final Set<String> TEXT = Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");
    private static final String JSON = "json";

    /** The longest VARBINARY that is measured, in bytes. */
    private static final int MAX_VARBINARY = 65_529;

    private final Connection connection;
    private final TableColumn column;
    private final boolean isMariaDb;
    private final Map<String, String> types;
    private final String value;

    private ColumnFacts(
            Connection connection, TableColumn column, boolean isMariaDb, Map<String, String> types, String value) {
        this.connection = connection;
        this.column = column;
        this.isMariaDb = isMariaDb;
        this.types = types;
        this.value = value;
    }

    /**
     * @throws dev.blobmark.mysql.table.DatasetException if there is no such column, the account may not read it, or it
     *     holds neither bytes nor text
     */
    static ColumnFacts read(Connection connection, TableColumn column, boolean isMariaDb) throws SQLException {
        Map<String, String> types = types(connection, column);
        return new ColumnFacts(connection, column, isMariaDb, types, value(column, types));
    }

    /** The types of the table's columns by name. */
    Map<String, String> types() {
        return types;
    }

    /** The expression for a value's bytes. */
    String value() {
        return value;
    }

    /**
     * The expression for a value's length, without the conversion to bytes, which gives NULL for text that is longer
     * than max_allowed_packet.
     */
    String length() {
        return value.startsWith("CAST(CAST(")
                ? "LENGTH(" + value + ")"
                : "LENGTH(" + TableKey.quoted(column.column()) + ")";
    }

    /** As the server describes it: {@code varchar(2000)}. */
    String columnType() throws SQLException {
        return facts().get("column_type");
    }

    /** Estimates of InnoDB; empty for other engines. */
    record TableEstimates(OptionalLong rows, OptionalLong bytes) {}

    TableEstimates table() throws SQLException {
        Map<String, String> table = Sql.row(
                connection,
                "SELECT table_rows, data_length FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                column.schema(),
                column.table());
        return new TableEstimates(parsed(table.get("table_rows")), parsed(table.get("data_length")));
    }

    private static OptionalLong parsed(String text) {
        return text == null || text.equals("null") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }

    /** The column's type as a level of the factor {@code column}; VARCHAR and CHAR become TEXT. */
    String level() throws SQLException {
        Map<String, String> facts = facts();
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

    private Map<String, String> facts() throws SQLException {
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

    /**
     * The types of the table's columns by name. Tries to read the table first, to distinguish a missing table from a
     * missing privilege.
     */
    static Map<String, String> types(Connection connection, TableColumn column) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT 1 FROM " + TableKey.quoted(column.schema(), column.table()) + " LIMIT 0")
                    .close();
        } catch (SQLException e) {
            if (DENIED.contains(e.getErrorCode())) {
                throw column.problem(
                        "the account may not read the table (" + e.getMessage() + ")",
                        "GRANT SELECT ON " + TableKey.quoted(column.schema(), column.table()) + " TO "
                                + account(connection));
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

    private static String account(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CURRENT_USER()")) {
            row.next();
            return "'" + row.getString(1).replaceFirst("@(?=[^@]*$)", "'@'") + "'";
        }
    }

    /** The expression that selects a value's bytes: text in its stored encoding, JSON as its text. */
    private static String value(TableColumn column, Map<String, String> types) {
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
}
