package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.failure.ReencodeException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
public record TableFacts(
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

    private static final String LOOKS =
            " looks at its content, which it could no longer: drop it for the time of the change, or for good";

    /** @throws ReencodeException if there is no such column */
    public static TableFacts read(Connection connection, TableColumn column) throws SQLException {
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
        List<String> updated = updatedColumns(connection, column);
        indexes(connection, column, problems);
        triggers(connection, column, problems);
        if (!table.get("table_type").contains("VIEW")) { // whose definition needs a privilege of its own
            TableText text = TableText.read(connection, column);
            generated(text, column, problems);
            Set<String> indexed = strings(
                            connection,
                            "SELECT LOWER(column_name) FROM information_schema.statistics WHERE table_schema = ? AND table_name"
                                    + " = ? AND column_name IS NOT NULL",
                            column)
                    .stream()
                    .collect(Collectors.toSet());
            GeneratedColumns.dependent(text, indexed)
                    .forEach(what -> problems.add(what
                            + " may depend on settings of a session such as time_zone or sql_mode: the server would compute it"
                            + " again under others. Drop it for the time of the change, or make it one that depends on its"
                            + " columns alone"));
            Set<String> hidden = new LinkedHashSet<>(text.columns().keySet());
            hidden.removeAll(Set.copyOf(names(connection, column)));
            if (!hidden.isEmpty()) {
                problems.add("the account does not see the columns " + String.join(", ", hidden) + ": GRANT SELECT ON "
                        + Names.quoted(column.schema(), column.table()));
            }
            expressions(text, column, problems);
            checks(text, column, type, problems);
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
    public List<String> problems(boolean isCopy) {
        return isCopy
                ? problems
                : Stream.concat(problems.stream(), problemsInPlace.stream()).toList();
    }

    /** The column with its names as the server writes them; the same if there is none. */
    public static TableColumn column(Connection connection, TableColumn named) throws SQLException {
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
    public static List<String> columns(Connection connection, TableColumn column, List<String> names)
            throws SQLException {
        List<String> found = new ArrayList<>();
        for (String name : names) {
            Map<String, String> facts = Sql.row(
                    connection,
                    "SELECT column_type, COALESCE(collation_name, '') AS collation FROM information_schema.columns WHERE"
                            + " table_schema = ? AND table_name = ? AND column_name = ?",
                    column.schema(),
                    column.table(),
                    name);
            String collation = facts.get("collation");
            // otherwise a position that an older version wrote as characters would be taken for one of bytes
            found.add(
                    name + " " + facts.get("column_type") + (collation.isEmpty() ? "" : " " + collation + " as bytes"));
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

    /** Columns that follow the time of the UPDATE. */
    private static List<String> updatedColumns(Connection connection, TableColumn column) throws SQLException {
        return strings(
                connection,
                "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND"
                        + " extra LIKE '%on update%' ORDER BY ordinal_position",
                column);
    }

    /** Other columns whose values the server computes from this one. */
    private static void generated(TableText text, TableColumn column, List<String> problems) {
        text.columns().forEach((name, part) -> {
            if (name.equalsIgnoreCase(column.column())) {
                return;
            }
            if (part.index("GENERATED") >= 0 && SqlTokens.mentions(part.after(part.index("AS")), column.column())) {
                problems.add("the generated column " + name
                        + " is computed from it, and would change: drop that column first");
            }
            if (part.index("DEFAULT") >= 0 && SqlTokens.mentions(part.after(part.index("DEFAULT")), column.column())) {
                problems.add("the default of the column " + name
                        + " is computed from it, and would change: drop that default first");
            }
        });
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
    private static void expressions(TableText text, TableColumn column, List<String> problems) {
        text.others().stream()
                .filter(part -> !part.isConstraint()
                        && part.expressions().stream()
                                .anyMatch(expression -> SqlTokens.mentions(expression, column.column())))
                .findFirst()
                .ifPresent(part -> problems.add(
                        "the index " + part.text() + " is computed from it, and would change: drop it first"));
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

    private static void checks(TableText text, TableColumn column, String type, List<String> problems) {
        text.columns().forEach((name, part) -> {
            boolean isOwn = name.equalsIgnoreCase(column.column());
            List<SqlTokens.Token> check = part.index("CHECK") < 0 ? List.of() : part.after(part.index("CHECK"));
            if (SqlTokens.mentions(check, column.column()) && !(isOwn && isOfJson(check, column, type))) {
                problems.add("the CHECK " + TableText.normal(check) + " of the column " + name + LOOKS);
            }
        });
        text.others().stream()
                .filter(TableText.Part::isCheck)
                .filter(part -> SqlTokens.mentions(part.after(part.index("CHECK")), column.column()))
                .findFirst()
                .ifPresent(part -> problems.add("the constraint " + part.text() + LOOKS));
    }

    /** MariaDB gives each column of JSON, which is LONGTEXT, this CHECK. A copy loses it together with the type. */
    private static boolean isOfJson(List<SqlTokens.Token> check, TableColumn column, String type) {
        return type.equals("longtext")
                && TableText.normal(check).equalsIgnoreCase("( JSON_VALID ( " + Names.quoted(column.column()) + " ) )");
    }
}
