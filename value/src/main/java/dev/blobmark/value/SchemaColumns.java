package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The columns of a schema that may hold values. What is not completely seen is a reason not to delete a dictionary: a
 * table that this account cannot see, that is being altered or cannot be opened, a type that is not known.
 */
final class SchemaColumns {

    static final int NO_SUCH_TABLE = 1146;

    private static final Set<String> OWN_TABLES = Set.of("blobmark_dictionaries", "blobmark_readers");

    /** Character sets in which the first two bytes of a frame are no text. Servers refuse them in such columns. */
    private static final Set<String> WITHOUT_FRAMES = Set.of("ascii", "utf8", "utf8mb3", "utf8mb4");

    /** Types without a character set that hold no frame: they are too short for one, or have a form of their own. */
    private static final Set<String> WITHOUT_BYTES = Set.of(
            "bit",
            "tinyint",
            "smallint",
            "mediumint",
            "int",
            "bigint",
            "decimal",
            "float",
            "double",
            "date",
            "time",
            "datetime",
            "timestamp",
            "year",
            "json",
            "uuid",
            "inet4",
            "inet6",
            "geometry",
            "point",
            "linestring",
            "polygon",
            "multipoint",
            "multilinestring",
            "multipolygon",
            "geomcollection",
            "geometrycollection");

    private SchemaColumns() {}

    /** @param name without difference of case, as servers have none */
    record Column(String schema, String table, String name, boolean isText) {

        Column {
            name = name.toLowerCase(Locale.ROOT);
        }

        static Column ofBytes(String schema, String table, String name) {
            return new Column(schema, table, name, false);
        }

        @Override
        public String toString() {
            return schema + "." + table + "." + name;
        }
    }

    /**
     * The columns of bytes, and those of text that may hold any bytes.
     *
     * @throws DictionaryException if it is not known that these are all
     */
    static Set<Column> of(Connection connection, int number, String schema) throws SQLException {
        requireAllSeen(connection, number, schema);
        Set<String> before = tables(connection, schema);
        Set<String> listed = new HashSet<>();
        Set<Column> found = new LinkedHashSet<>();
        try (PreparedStatement statement = OwnTransaction.complete(
                connection,
                "SELECT c.table_name, c.column_name, LOWER(c.data_type), c.character_set_name, t.table_type, t.engine"
                        + " FROM information_schema.columns c LEFT JOIN information_schema.tables t ON t.table_schema ="
                        + " c.table_schema AND t.table_name = c.table_name WHERE c.table_schema = ? ORDER BY 1, 2")) {
            statement.setString(1, schema);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    listed.add(rows.getString(1).toLowerCase(Locale.ROOT));
                    add(found, number, schema, rows);
                }
            }
        }
        requireListed(connection, number, schema, before, listed);
        return found;
    }

    private static void add(Set<Column> found, int number, String schema, ResultSet row) throws SQLException {
        String table = row.getString(1);
        String type = row.getString(3);
        String characters = row.getString(4);
        String kind = row.getString(5);
        boolean isView = kind != null && kind.contains("VIEW");
        boolean isText = characters != null && !characters.equals("binary");
        if (isView || isText && WITHOUT_FRAMES.contains(characters) || !isText && WITHOUT_BYTES.contains(type)) {
            return;
        }
        Column column = new Column(schema, table, row.getString(2), isText);
        if (!isText && !ColumnCheck.TYPES_OF_BYTES.contains(type)) {
            throw DictionaryDeletion.notDeleted(
                    number, column + " is of the type " + type + ", of which it is not known whether it holds values");
        }
        if ("SYSTEM VERSIONED".equals(kind)) {
            throw DictionaryDeletion.notDeleted(number, column + " has a history of values, which is not read");
        }
        if (!"InnoDB".equals(row.getString(6))) { // others have no snapshot, or take no locks of rows
            throw DictionaryDeletion.notDeleted(
                    number,
                    column + " is of the engine " + row.getString(6)
                            + ", so a row that is moved meanwhile may be passed over");
        }
        if (!OWN_TABLES.contains(table)) {
            found.add(column);
        }
    }

    /**
     * MariaDB leaves tables out of the list of columns that are being altered or cannot be opened, and gives a warning.
     * Their names are listed all the same.
     */
    private static void requireListed(
            Connection connection, int number, String schema, Set<String> before, Set<String> listed)
            throws SQLException {
        Set<String> hidden = tables(connection, schema);
        if (!hidden.equals(before)) {
            throw DictionaryDeletion.notDeleted(
                    number, "tables of " + schema + " were made or dropped meanwhile: try again later");
        }
        hidden.removeAll(listed);
        if (!hidden.isEmpty()) {
            throw DictionaryDeletion.notDeleted(
                    number,
                    "columns are not listed of " + String.join(", ", hidden) + " in " + schema
                            + ": each is being altered, or cannot be opened; try again later");
        }
    }

    /** Names of tables, in lower case. */
    private static Set<String> tables(Connection connection, String schema) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW FULL TABLES FROM " + Identifiers.quotedPart(schema))) {
            Set<String> names = new TreeSet<>();
            while (rows.next()) {
                if (!String.valueOf(rows.getString(2)).contains("VIEW")) {
                    names.add(rows.getString(1).toLowerCase(Locale.ROOT));
                }
            }
            return names;
        }
    }

    /**
     * The server shows only those tables for which an account has some privilege. So the account must have the
     * privilege to read any table of the schema: then a table that does not exist is missing, and not denied. Lists of
     * privileges do not show the effect of roles, patterns and revocations.
     */
    static void requireAllSeen(Connection connection, int number, String schema) throws SQLException {
        String table = "blobmark_" + UUID.randomUUID().toString().replace('-', '_');
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery(
                            "SELECT 1 FROM " + Identifiers.quotedPart(schema) + "." + Identifiers.quotedPart(table))
                    .close();
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_TABLE) {
                return;
            }
            throw DictionaryDeletion.notDeleted(
                    number,
                    "this account has no right to read all tables of " + schema
                            + ", so there may be some that it cannot see: " + e.getMessage());
        }
        throw DictionaryDeletion.notDeleted(number, "a table of " + schema + " with a random name exists");
    }
}
