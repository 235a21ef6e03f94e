package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The columns of a schema that may hold values. What is not completely seen is a reason not to delete a dictionary: a
 * table that this account cannot see, that is being altered or cannot be opened, a type that is not known.
 */
final class SchemaColumns {

    static final int NO_SUCH_TABLE = 1146;
    static final int NO_SUCH_SCHEMA = 1049;

    private static final Set<String> OWN_TABLES = Set.of("blobmark_dictionaries", "blobmark_readers");

    /** Character sets in which the first two bytes of a frame are no text. Servers refuse them in such columns. */
    private static final Set<String> WITHOUT_FRAMES = Set.of("utf8", "utf8mb3", "utf8mb4");

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

    /** What a column can hold. */
    enum Content {
        BYTES,
        /** Any bytes, such as text in {@code latin1}; MariaDB takes them in {@code ascii} too. */
        TEXT,
        /** Text in UTF-8, in which servers take no frames. */
        UTF8,
        /** No frames. */
        OTHER
    }

    /**
     * The name of a column, as it was given. Two are equal without difference of case, as servers have none in names of
     * columns.
     */
    record Place(String schema, String table, String name) {

        String quotedTable() {
            return Identifiers.quotedPart(schema) + "." + Identifiers.quotedPart(table);
        }

        /** Character by character, so that no name becomes longer. */
        private String folded() {
            StringBuilder folded = new StringBuilder(name.length());
            name.chars().forEach(c -> folded.append((char) Character.toLowerCase(Character.toUpperCase(c))));
            return folded.toString();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place place
                    && schema.equals(place.schema)
                    && table.equals(place.table)
                    && folded().equals(place.folded());
        }

        @Override
        public int hashCode() {
            return Objects.hash(schema, table, folded());
        }

        @Override
        public String toString() {
            return schema + "." + table + "." + name;
        }
    }

    record Column(Place place, Content content) {}

    /**
     * All columns of tables; none of a schema that is not there.
     *
     * @throws DictionaryException if it is not known that these are all
     */
    static Set<Column> of(Connection connection, int number, String schema) throws SQLException {
        if (!requireAllSeen(connection, number, schema)) {
            return Set.of();
        }
        Set<String> before = tables(connection, number, schema);
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
                    listed.add(rows.getString(1));
                    add(found, number, schema, rows);
                }
            }
        }
        requireListed(connection, number, schema, before, listed);
        return found;
    }

    private static void add(Set<Column> found, int number, String schema, ResultSet row) throws SQLException {
        String table = row.getString(1);
        String kind = row.getString(5);
        if (kind != null && kind.contains("VIEW") || OWN_TABLES.contains(table)) {
            return;
        }
        Place place = new Place(schema, table, row.getString(2));
        Content content = content(number, place, row.getString(3), row.getString(4));
        if (mayHoldFrames(content) && "SYSTEM VERSIONED".equals(kind)) {
            throw DictionaryDeletion.kept(number, place + " has a history of values, which is not read");
        }
        if (mayHoldFrames(content) && !"InnoDB".equals(row.getString(6))) { // no snapshot, or no locks of rows
            throw DictionaryDeletion.kept(
                    number,
                    place + " is of the engine " + row.getString(6)
                            + ", so a row that is moved meanwhile may be passed over");
        }
        found.add(new Column(place, content));
    }

    private static boolean mayHoldFrames(Content content) {
        return content == Content.BYTES || content == Content.TEXT;
    }

    private static Content content(int number, Place place, String type, String characters) {
        if (characters != null && !characters.equals("binary")) {
            return WITHOUT_FRAMES.contains(characters) ? Content.UTF8 : Content.TEXT;
        }
        if (ColumnCheck.TYPES_OF_BYTES.contains(type)) {
            return Content.BYTES;
        }
        if (WITHOUT_BYTES.contains(type)) {
            return Content.OTHER;
        }
        throw DictionaryDeletion.kept(
                number, place + " has the type " + type + ", which is not known here and may hold values");
    }

    /**
     * MariaDB leaves tables out of the list of columns that are being altered or cannot be opened, and gives a warning.
     * Their names are listed all the same.
     */
    private static void requireListed(
            Connection connection, int number, String schema, Set<String> before, Set<String> listed)
            throws SQLException {
        Set<String> hidden = tables(connection, number, schema);
        if (!hidden.equals(before)) {
            throw DictionaryDeletion.kept(
                    number, "tables of " + schema + " were made or dropped meanwhile: try again later");
        }
        hidden = hidden.stream().filter(name -> !listed.contains(name)).collect(Collectors.toCollection(TreeSet::new));
        if (!hidden.isEmpty()) {
            throw DictionaryDeletion.kept(
                    number,
                    "columns are not listed of " + String.join(", ", hidden) + " in " + schema
                            + ": each is being altered, or cannot be opened; try again later");
        }
    }

    private static Set<String> tables(Connection connection, int number, String schema) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW FULL TABLES FROM " + Identifiers.quotedPart(schema))) {
            Set<String> names = new TreeSet<>();
            while (rows.next()) {
                String kind = String.valueOf(rows.getString(2));
                if (kind.contains("TEMPORARY")) { // MariaDB lists it, and perhaps not what it hides
                    throw DictionaryDeletion.kept(
                            number,
                            "the connection has a temporary table " + rows.getString(1) + " in " + schema
                                    + ", which may hide another one: give a source whose connections have none");
                }
                if (!kind.contains("VIEW")) {
                    names.add(rows.getString(1));
                }
            }
            return names;
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_SCHEMA) {
                return Set.of();
            }
            throw e;
        }
    }

    /**
     * The server shows only those tables for which an account has some privilege. So the account must have the
     * privilege to read any table of the schema: then a table that does not exist is missing, and not denied. Lists of
     * privileges do not show the effect of roles, patterns and revocations.
     *
     * @return false if there is no such schema, which the server says only to an account that could see it
     */
    static boolean requireAllSeen(Connection connection, int number, String schema) throws SQLException {
        String table = "blobmark_" + UUID.randomUUID().toString().replace('-', '_');
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery(
                            "SELECT 1 FROM " + Identifiers.quotedPart(schema) + "." + Identifiers.quotedPart(table))
                    .close();
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_TABLE || e.getErrorCode() == NO_SUCH_SCHEMA) {
                return e.getErrorCode() == NO_SUCH_TABLE;
            }
            throw DictionaryDeletion.kept(
                    number,
                    "this account has no right to read all tables of " + schema
                            + ", so there may be some that it cannot see: " + e.getMessage());
        }
        throw DictionaryDeletion.kept(number, "a table of " + schema + " with a random name exists");
    }
}
