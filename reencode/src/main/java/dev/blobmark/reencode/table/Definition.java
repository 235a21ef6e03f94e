package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.SqlTokens.Token;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A table as it is, to be compared with another one or with itself later: what SHOW CREATE TABLE writes, and what it
 * leaves out.
 *
 * @param ddl what SHOW CREATE TABLE writes for a session with the settings of Blobmark
 * @param rowFormat as InnoDB stores rows, which the definition may leave to the server's default
 * @param triggers of users, with their bodies and what they depend on
 * @param references foreign keys of the table, and of others that refer to it, as far as the account sees them
 */
public record Definition(String ddl, String rowFormat, List<String> triggers, List<String> references) {

    /** ER_TABLEACCESS_DENIED_ERROR, ER_NO_SUCH_TABLE. */
    private static final Set<Integer> UNSEEN = Set.of(1142, 1146);

    public Definition {
        triggers = List.copyOf(triggers);
        references = List.copyOf(references);
    }

    public static boolean isMariaDb(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
    }

    /**
     * Reads a table.
     *
     * @param column of the table that users know, whose copies' triggers are left out
     * @param table its name now
     */
    public static Definition read(Connection connection, TableColumn column, String table) throws SQLException {
        String ddl = Sql.pairs(connection, "SHOW CREATE TABLE " + Names.quoted(column.schema(), table))
                .values()
                .iterator()
                .next();
        String rowFormat = Sql.row(
                        connection,
                        "SELECT row_format FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        column.schema(),
                        table)
                .get("row_format");
        if (rowFormat == null) { // MariaDB has no figures of a table that is just being altered
            throw new ReencodeException(
                    column.schema() + "." + table,
                    "the table was changed meanwhile, or is being changed",
                    "if it is still there, the same command continues");
        }
        List<String> triggers = lines(
                connection,
                "SELECT trigger_name, action_timing, event_manipulation, action_order, definer, sql_mode, action_statement"
                        + " FROM information_schema.triggers WHERE event_object_schema = ? AND event_object_table = ?"
                        + " ORDER BY event_manipulation, action_timing, action_order",
                column.schema(),
                table);
        List<String> references = lines(
                connection,
                "SELECT constraint_name, constraint_schema, table_name, unique_constraint_schema, referenced_table_name"
                        + " FROM information_schema.referential_constraints WHERE constraint_schema = ? AND table_name = ?"
                        + " OR unique_constraint_schema = ? AND CAST(referenced_table_name AS BINARY) = CAST(? AS BINARY)"
                        + " ORDER BY 2, 3, 1",
                column.schema(),
                table,
                column.schema(),
                table);
        return new Definition(
                ddl,
                rowFormat,
                triggers.stream()
                        .filter(trigger -> ShadowNames.triggers(column.table()).stream()
                                .noneMatch(own -> trigger.startsWith(own + " ")))
                        .toList(),
                references);
    }

    static List<String> lines(Connection connection, String sql, String... parameters) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                select.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    List<String> values = new ArrayList<>();
                    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                        values.add(String.valueOf(row.getString(i)));
                    }
                    lines.add(String.join(" ", values));
                }
            }
        }
        return lines;
    }

    /** What a copy cannot keep, found before anything is made, with the remedies. */
    public static List<String> problems(Connection connection, TableColumn column) throws SQLException {
        TableText text = TableText.read(connection, column);
        List<String> problems =
                new ArrayList<>(BytesColumn.plan(connection, column).problems());
        boolean isElsewhere = text.options().keySet().stream().anyMatch(name -> name.contains("DIRECTORY"))
                || text.rest().mentions("DIRECTORY");
        if (isElsewhere) {
            problems.add("its files are in a directory of their own (DATA DIRECTORY), in which the copy would not be:"
                    + " change it in place, or move the table");
        }
        if (text.columns().keySet().stream().anyMatch("FTS_DOC_ID"::equalsIgnoreCase)
                && text.others().stream().anyMatch(part -> part.tokens().get(0).isWord("FULLTEXT"))) {
            problems.add(
                    "it has a column FTS_DOC_ID, whose numbers InnoDB accepts in rising order only: rows that others change"
                            + " could not be copied again; change it in place");
        }
        if (text.others().stream().anyMatch(part -> part.mentions("OVERLAPS"))) {
            problems.add("it has a key WITHOUT OVERLAPS: MariaDB does not support the INSERT … ON DUPLICATE KEY with"
                    + " which a copy follows the changes of others; change it in place");
        }
        return problems;
    }

    /** What a copy changes besides the values, for the user. */
    public static List<String> remarks(Connection connection, TableColumn column) throws SQLException {
        TableText text = TableText.read(connection, column);
        List<String> remarks = new ArrayList<>();
        text.others().stream()
                .filter(part -> part.tokens().get(0).isWord("FULLTEXT"))
                .forEach(
                        part -> remarks.add("the index " + part.text() + " is built with the stop words and settings of"
                                + " today (innodb_ft_*); those with which it was built are not known"));
        if (isMariaDb(connection)) {
            if (hasStatistics(connection, column)) {
                remarks.add("the statistics that ANALYZE TABLE … PERSISTENT has collected stay with the former table:"
                        + " it collects those of the new one");
            }
        } else {
            checks(text, column).ifPresent(remarks::add);
            List<String> histograms = lines(
                    connection,
                    "SELECT column_name FROM information_schema.column_statistics WHERE schema_name = ? AND table_name = ?",
                    column.schema(),
                    column.table());
            if (!histograms.isEmpty()) {
                remarks.add("the histograms of " + String.join(", ", histograms)
                        + " stay with the former table: ANALYZE TABLE … UPDATE HISTOGRAM makes those of the new one");
            }
        }
        return remarks;
    }

    /** Whether MariaDB keeps statistics of the table; false if the account may not see them. */
    private static boolean hasStatistics(Connection connection, TableColumn column) throws SQLException {
        try {
            return !lines(
                            connection,
                            "SELECT column_name FROM mysql.column_stats WHERE db_name = ? AND table_name = ?",
                            column.schema(),
                            column.table())
                    .isEmpty();
        } catch (SQLException e) {
            if (UNSEEN.contains(e.getErrorCode())) {
                return false;
            }
            throw e;
        }
    }

    private static Optional<String> checks(TableText text, TableColumn column) {
        List<String> named = text.others().stream()
                .filter(TableText.Part::isCheck)
                .map(part -> part.tokens().get(1).text())
                .filter(name -> !name.startsWith(column.table() + "_chk_"))
                .toList();
        return named.isEmpty()
                ? Optional.empty()
                : Optional.of("the CHECK constraints " + String.join(", ", named)
                        + " get new names in the copy: names of constraints are unique in a schema of MySQL");
    }

    /**
     * Lines of words about what a copy has otherwise than the former table, except for its name, its counter, the names
     * of its CHECK constraints, and the type of the changed column.
     *
     * @param former name of the former table now
     * @param copy name of the copy now
     */
    public static List<String> differences(Connection connection, TableColumn column, String former, String copy)
            throws SQLException {
        Optional<BytesColumn> planned = BytesColumn.plan(
                        connection, TableColumn.of(column.schema(), former, column.column()))
                .column();
        return read(connection, column, former).differences(read(connection, column, copy), column.column(), planned);
    }

    /**
     * Whether a table has the definition of a copy, or one of those that it has while it is made: that of the former
     * table with any type of the changed column, and with any row format.
     *
     * @param ddl of the former table when the copy began, which others may have altered since
     * @param copy name of the table
     */
    public static boolean isBegun(Connection connection, TableColumn column, String ddl, String copy)
            throws SQLException {
        Definition made = read(connection, column, copy);
        return new Definition(ddl, made.rowFormat, made.triggers, made.references)
                .differences(made).stream().allMatch(line -> line.startsWith("the column " + column.column() + ":"));
    }

    /** Lines of words about what the same table has otherwise later, except for its counter. */
    public List<String> differences(Definition later) {
        return differences(later, "", Optional.empty());
    }

    private List<String> differences(Definition other, String column, Optional<BytesColumn> planned) {
        TableText mine = TableText.parse(ddl);
        TableText theirs = TableText.parse(other.ddl);
        List<String> differences = new ArrayList<>();
        compare(
                differences,
                "columns in their order",
                "" + mine.columns().keySet(),
                "" + theirs.columns().keySet());
        mine.columns().forEach((name, part) -> {
            TableText.Part made = theirs.columns().get(name);
            if (made != null && planned.isPresent() && name.equals(column)) {
                differences.addAll(planned.get().differences(made));
            } else if (made != null && !part.normal().equals(made.normal())) {
                compare(differences, "column " + name, part.text(), made.text());
            }
        });
        compare(differences, "indexes", parts(mine, false), parts(theirs, false));
        compare(differences, "constraints", parts(mine, true), parts(theirs, true));
        Set<String> names = new LinkedHashSet<>(mine.options().keySet());
        names.addAll(theirs.options().keySet());
        names.removeAll(Set.of("AUTO_INCREMENT", "ROW_FORMAT"));
        for (String name : names) {
            compare(
                    differences,
                    "table option " + name,
                    text(mine.options().get(name)),
                    text(theirs.options().get(name)));
        }
        compare(differences, "row format", rowFormat, other.rowFormat);
        if (!mine.rest().normal().equals(theirs.rest().normal())) {
            compare(
                    differences,
                    "partitions and other options",
                    mine.rest().text(),
                    theirs.rest().text());
        }
        compare(differences, "triggers", String.join("; ", triggers), String.join("; ", other.triggers));
        compare(differences, "foreign keys", String.join("; ", references), String.join("; ", other.references));
        return differences;
    }

    /** Indexes with their names, and constraints; those of CHECK without their names, in any order. */
    private static String parts(TableText text, boolean isConstraint) {
        Stream<String> parts = text.others().stream()
                .filter(part -> part.isConstraint() == isConstraint)
                .map(part -> part.isCheck() ? part.from("CHECK") : part.normal());
        return String.join(", ", isConstraint ? parts.sorted().toList() : parts.toList());
    }

    private static String text(Token token) {
        return token == null ? "" : token.text();
    }

    private static void compare(List<String> differences, String what, String mine, String theirs) {
        if (!mine.equals(theirs)) {
            differences.add("the " + what + ": " + (mine.isEmpty() ? "none" : mine) + " in the former table, "
                    + (theirs.isEmpty() ? "none" : theirs) + " in the new one");
        }
    }
}
