package dev.blobmark.reencode;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the server says of a column and its table.
 *
 * @param type of the column, as the server writes it
 * @param dataType the same without length and attributes, in lower case
 * @param maxBytes the longest value that the column holds
 * @param updatedColumns those that the server sets to the present time with each UPDATE
 * @param rows estimate of the server
 * @param dataBytes of the table on disk without its indexes, estimate of the server
 * @param problems reasons why its values cannot be changed, with the remedies
 * @param problemsInPlace those for which they cannot be changed where they are, but in a copy
 */
record TableFacts(
        String type,
        String dataType,
        long maxBytes,
        List<String> updatedColumns,
        long rows,
        long dataBytes,
        List<String> problems,
        List<String> problemsInPlace) {

    private static final Set<String> BLOBS = Set.of("tinyblob", "blob", "mediumblob", "longblob", "varbinary");
    private static final Set<String> TEXT =
            Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "json");

    /** @throws ReencodeException if there is no such column */
    static TableFacts read(Connection connection, TableColumn column) throws SQLException {
        Map<String, String> table = Sql.row(
                connection,
                "SELECT table_type, engine, table_rows, data_length FROM information_schema.tables WHERE table_schema = ?"
                        + " AND table_name = ?",
                column.schema(),
                column.table());
        if (table.isEmpty()) {
            throw new ReencodeException(
                    column.name(),
                    "there is no such table, or the account has no privilege on it",
                    "correct the name, or GRANT SELECT, UPDATE on it");
        }
        Map<String, String> facts = Sql.row(
                connection,
                "SELECT data_type, column_type, extra, character_octet_length FROM information_schema.columns WHERE"
                        + " table_schema = ? AND table_name = ? AND column_name = ?",
                column.schema(),
                column.table(),
                column.column());
        if (facts.isEmpty()) {
            throw new ReencodeException(
                    column.name(),
                    "the table has no column '" + column.column() + "'",
                    "it has " + String.join(", ", names(connection, column)));
        }
        List<String> problems = new ArrayList<>();
        List<String> problemsInPlace = new ArrayList<>();
        String type = facts.get("data_type").toLowerCase(Locale.ROOT);
        if (table.get("table_type").contains("VERSIONED")) {
            problems.add("the table is system-versioned, and keeps all former values: there is nothing to gain");
        } else if (!table.get("table_type").equals("BASE TABLE")) {
            problems.add("it is a view: name the table that it reads");
        } else if (!table.get("engine").equalsIgnoreCase("InnoDB")) {
            problems.add("its engine is " + table.get("engine")
                    + ", and only InnoDB's transactions keep rows and state together");
        }
        if (TEXT.contains(type)) {
            problemsInPlace.add("the column is of type " + facts.get("column_type")
                    + ", and encoded bytes are not text: --mode copy makes it a column of bytes");
        } else if (!BLOBS.contains(type)) {
            problems.add("the column is of type " + facts.get("column_type")
                    + ", and values in the format need BLOB or VARBINARY");
        }
        String extra = facts.get("extra").toUpperCase(Locale.ROOT);
        if (extra.contains("VIRTUAL") || extra.contains("STORED") || extra.contains("PERSISTENT")) {
            problems.add("it is a generated column, whose values the server computes");
        }
        List<String> updated = dependentColumns(connection, column, problems);
        indexes(connection, column, problems);
        triggers(connection, column, problems);
        if (!table.get("table_type").contains("VIEW")) { // whose definition needs a privilege of its own
            List<String> lines = definition(connection, column);
            expressions(lines, column, problems);
            checks(lines, column, problems);
        }
        return new TableFacts(
                facts.get("column_type"),
                type,
                number(facts.get("character_octet_length")),
                updated,
                number(table.get("table_rows")),
                number(table.get("data_length")),
                problems,
                problemsInPlace);
    }

    /** Reasons why the values cannot be changed in a way. */
    List<String> problems(boolean isCopy) {
        return isCopy
                ? problems
                : Stream.concat(problems.stream(), problemsInPlace.stream()).toList();
    }

    /** The column with its names as the server writes them; the same if there is none. */
    static TableColumn column(Connection connection, TableColumn named) throws SQLException {
        Map<String, String> names = Sql.row(
                connection,
                "SELECT table_schema, table_name, column_name FROM information_schema.columns WHERE table_schema = ? AND"
                        + " table_name = ? AND column_name = ?",
                named.schema(),
                named.table(),
                named.column());
        return names.isEmpty()
                ? named
                : TableColumn.of(names.get("table_schema"), names.get("table_name"), names.get("column_name"));
    }

    /** Columns with all that their order depends on: {@code id varchar(40) utf8mb4_bin}. */
    static List<String> columns(Connection connection, TableColumn column, List<String> names) throws SQLException {
        List<String> found = new ArrayList<>();
        for (String name : names) {
            Map<String, String> facts = Sql.row(
                    connection,
                    "SELECT column_type, COALESCE(collation_name, '') AS collation FROM information_schema.columns WHERE"
                            + " table_schema = ? AND table_name = ? AND column_name = ?",
                    column.schema(),
                    column.table(),
                    name);
            found.add((name + " " + facts.get("column_type") + " " + facts.get("collation")).strip());
        }
        return found;
    }

    private static long number(String text) {
        return text == null || text.equals("null") ? 0 : Long.parseLong(text);
    }

    private static List<String> names(Connection connection, TableColumn column) throws SQLException {
        return strings(
                connection,
                "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY"
                        + " ordinal_position",
                column);
    }

    private static List<String> strings(Connection connection, String sql, TableColumn column) throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    found.add(row.getString(1));
                }
            }
        }
        return found;
    }

    /** Adds generated columns that use this one; returns those that follow the time of the UPDATE. */
    private static List<String> dependentColumns(Connection connection, TableColumn column, List<String> problems)
            throws SQLException {
        List<String> updated = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT column_name, extra, generation_expression FROM information_schema.columns WHERE table_schema = ?"
                        + " AND table_name = ? ORDER BY ordinal_position")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    if (String.valueOf(row.getString(2))
                            .toLowerCase(Locale.ROOT)
                            .contains("on update")) {
                        updated.add(row.getString(1));
                    }
                    if (mentions(String.valueOf(row.getString(3)), column.column())) {
                        problems.add("the generated column " + row.getString(1)
                                + " is computed from it, and would change: drop that column first");
                    }
                }
            }
        }
        return updated;
    }

    static boolean mentions(String sql, String name) {
        return Pattern.compile("(?i)(?<![\\w$])`?" + Pattern.quote(name) + "`?(?![\\w$])")
                .matcher(sql)
                .find();
    }

    private static void indexes(Connection connection, TableColumn column, List<String> problems) throws SQLException {
        Map<String, String> index = Sql.row(
                connection,
                "SELECT index_name, non_unique FROM information_schema.statistics WHERE table_schema = ? AND table_name = ?"
                        + " AND column_name = ? LIMIT 1",
                column.schema(),
                column.table(),
                column.column());
        if (!index.isEmpty()) {
            problems.add("the index " + index.get("index_name") + " is on it, and would "
                    + (index.get("non_unique").equals("0") ? "no longer keep values unique" : "no longer find values")
                    + ": drop the index, or index a hash of the value in another column");
        }
    }

    /** An index on an expression (MySQL 8.0.13) has no column in information_schema. */
    private static void expressions(List<String> lines, TableColumn column, List<String> problems) {
        lines.stream()
                .filter(line -> line.matches("(?i)\\s*(UNIQUE\\s+)?KEY\\b[^(]*\\(\\s*\\(.*")
                        && mentions(line.substring(line.indexOf('(')), column.column()))
                .findFirst()
                .ifPresent(line -> problems.add(
                        "the index " + line.strip() + " is computed from it, and would change: drop it first"));
    }

    private static void triggers(Connection connection, TableColumn column, List<String> problems) throws SQLException {
        List<String> found = strings(
                connection,
                "SELECT trigger_name FROM information_schema.triggers WHERE event_object_schema = ? AND event_object_table"
                        + " = ? AND event_manipulation = 'UPDATE'",
                column);
        found.remove(ShadowNames.trigger(column.table(), "u"));
        if (!found.isEmpty()) {
            problems.add("the trigger " + String.join(", ", found)
                    + " would run for each row: drop it for the time of the change, if that is right for you");
        } else if (!Grants.read(connection).has("TRIGGER", column)) {
            problems.add("the account may not see whether the table has triggers, which would run: GRANT TRIGGER ON "
                    + Names.quoted(column.schema(), column.table()));
        }
    }

    private static void checks(List<String> lines, TableColumn column, List<String> problems) {
        lines.stream()
                .filter(line -> line.matches("(?i).*\\bCHECK\\s*\\(.*"))
                .filter(line -> mentions(line.replaceFirst("(?i)^.*?\\bCHECK\\s*\\(", ""), column.column()))
                .findFirst()
                .ifPresent(line -> problems.add("the constraint " + line.strip()
                        + " looks at its content, which it could no longer: drop the constraint"));
    }

    /** The lines of SHOW CREATE TABLE, or of SHOW CREATE VIEW. */
    private static List<String> definition(Connection connection, TableColumn column) throws SQLException {
        return Sql.pairs(connection, "SHOW CREATE TABLE " + Names.quoted(column.schema(), column.table()))
                .values()
                .iterator()
                .next()
                .lines()
                .toList();
    }
}
