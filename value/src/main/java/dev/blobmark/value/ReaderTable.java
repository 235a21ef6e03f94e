package dev.blobmark.value;

import dev.blobmark.value.HeardReaders.Row;
import dev.blobmark.value.ReaderRegistry.Reader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The rows of the table {@code blobmark_readers}. Whoever may write it cannot fill the heap of those who read it. */
final class ReaderTable {

    /** After this time without an announcement a reader's row is removed by others. */
    private static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

    private static final int MOST_REMOVED = 1_000;

    /** Rows that one statement asks for. */
    private static final int MOST_IDS = 1_000;

    /** Lists of all readers with more characters than this are too many to be read again and again. */
    private static final long MOST_LENGTH = 4 << 20;

    // by seconds since 1970: a comparison of local times would be wrong for an hour when summer time ends
    private static final String IS_LIVE = " WHERE version <> " + Row.GONE
            + " AND UNIX_TIMESTAMP(announced) > UNIX_TIMESTAMP() - " + ReaderRegistry.GONE_AFTER.toSeconds();

    private static final String CREATE =
            "CREATE TABLE IF NOT EXISTS %s (id CHAR(36) NOT NULL PRIMARY KEY, name VARCHAR(255) NOT NULL, version INT NOT"
                    + " NULL, codecs VARCHAR(255) NOT NULL, dictionaries TEXT,"
                    + " announced TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)"
                    + " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";

    /** Characters of the columns, as {@link #CREATE} has them. */
    private static final int MOST_CODECS = 255;

    private static final int MOST_DICTIONARIES = 65_535;

    private static final int MOST_NAME = 255;

    private static final int MOST_ID = 36;

    private static final String ARE_FORGOTTEN =
            "UNIX_TIMESTAMP(announced) < UNIX_TIMESTAMP() - " + FORGOTTEN_AFTER.toSeconds();

    private static final Pattern CODEC = Pattern.compile("[a-z0-9]+");
    private static final Pattern DICTIONARY = Pattern.compile("[0-9a-f]{6}");

    private final String table;
    private volatile Set<String> logged = Set.of();

    ReaderTable(String schema) {
        table = Identifiers.quoted(schema + ".blobmark_readers");
    }

    /** Creates the table where it is missing, and adds the column of dictionaries where an older table has none. */
    void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(CREATE.formatted(table));
            if (!hasDictionaries(connection)) {
                statement.execute("ALTER TABLE " + table + " ADD COLUMN dictionaries TEXT");
            }
        }
    }

    private boolean hasDictionaries(Connection connection) throws SQLException {
        return ColumnCheck.exists(connection, table, "dictionaries");
    }

    /** The time is the server's, by the column's default: the session's time zone has no effect on it. */
    int announce(Connection connection, String id, Reader reader) throws SQLException {
        String codecs = String.join(",", new TreeSet<>(reader.codecs()));
        // with EMPTY_STRING_IS_NULL, an empty parameter is NULL
        try (PreparedStatement statement = connection.prepareStatement("REPLACE INTO " + table
                + " (id, name, version, codecs, dictionaries) VALUES (?, COALESCE(?, SPACE(0)), ?, COALESCE(?, SPACE(0)),"
                + " ?)")) {
            statement.setString(1, id);
            statement.setString(2, reader.name());
            statement.setInt(3, reader.version());
            statement.setString(4, codecs);
            statement.setString(5, names(reader.dictionaries()));
            return statement.executeUpdate();
        }
    }

    /** As many as the column takes: with the others, nothing is encoded as long as this reader counts. */
    private static String names(Set<Integer> dictionaries) {
        return dictionaries.stream()
                .sorted()
                .limit((MOST_DICTIONARIES + 1) / "abcdef,".length())
                .map(ValueDictionary::name)
                .collect(Collectors.joining(","));
    }

    /**
     * Leaves a row that says so, and is removed after half a day: a row that is missing may have been lost in a
     * failover. To readers of the table that do not know such rows, it is one that was not heard of for hours.
     */
    int sayGone(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("REPLACE INTO " + table
                + " (id, name, version, codecs, announced) VALUES (?, SPACE(0), " + Row.GONE
                + ", SPACE(0), FROM_UNIXTIME(UNIX_TIMESTAMP() - " + FORGOTTEN_AFTER.toSeconds() / 2 + "))")) {
            statement.setString(1, id);
            return statement.executeUpdate();
        }
    }

    /** Ids of readers that have ended: half a day ago if they said so, and else a day ago. */
    List<String> forgotten(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM " + table + " WHERE CHAR_LENGTH(id) <= "
                        + MOST_ID + " AND " + ARE_FORGOTTEN + " ORDER BY id LIMIT " + MOST_REMOVED)) {
            List<String> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
            return ids;
        }
    }

    /** By their keys, so that no other row is locked. One that was suspended may have announced itself again. */
    int removeForgotten(Connection connection, List<String> ids) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("DELETE FROM " + table + " WHERE id = ? AND " + ARE_FORGOTTEN)) {
            int removed = 0;
            for (String id : ids) {
                statement.setString(1, id);
                removed += statement.executeUpdate();
            }
            return removed;
        }
    }

    /** Those that count by the server's clock. Too many or too long rows are one that reads nothing. */
    List<Row> live(Connection connection) throws SQLException {
        String select = select(connection);
        Set<String> problems = new TreeSet<>();
        if (length(connection, IS_LIVE, List.of()) > MOST_LENGTH) {
            String others = "rows with more than " + MOST_LENGTH + " characters";
            problems.add(others);
            log(problems);
            return List.of(Row.ofOthers(others));
        }
        try (PreparedStatement statement = connection.prepareStatement(
                select + IS_LIVE + " ORDER BY name, id LIMIT " + (ReaderRegistry.MOST_READERS + 1))) {
            List<Row> found = rows(statement, problems);
            if (found.size() > ReaderRegistry.MOST_READERS) {
                String others = "more than " + ReaderRegistry.MOST_READERS + " rows";
                problems.add(others);
                found.set(ReaderRegistry.MOST_READERS, Row.ofOthers(others));
            }
            log(problems);
            return found;
        }
    }

    /** Characters of all lists. */
    private long length(Connection connection, String where, List<String> ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT SUM(LENGTH(codecs)), SUM(LENGTH("
                + (hasDictionaries(connection) ? "dictionaries" : "''") + ")) FROM " + table + where + " LIMIT 1")) {
            setAll(statement, ids);
            try (ResultSet sum = statement.executeQuery()) {
                sum.next();
                return sum.getLong(1) + sum.getLong(2);
            }
        }
    }

    /** Rows with these ids. Where the lists are too long, the rest is not read: for the caller, as if not found. */
    List<Row> withIds(Connection connection, Set<String> ids) throws SQLException {
        List<Row> found = new ArrayList<>();
        List<String> all = List.copyOf(ids);
        long length = 0;
        for (int from = 0; from < all.size(); from += MOST_IDS) {
            List<String> batch = all.subList(from, Math.min(from + MOST_IDS, all.size()));
            String where = " WHERE id IN (" + String.join(", ", Collections.nCopies(batch.size(), "?")) + ")";
            length += length(connection, where, batch);
            if (length > MOST_LENGTH) {
                break;
            }
            try (PreparedStatement statement = OwnTransaction.complete(connection, select(connection) + where)) {
                setAll(statement, batch);
                found.addAll(rows(statement, new TreeSet<>()));
            }
        }
        return found;
    }

    private static void setAll(PreparedStatement statement, List<String> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            statement.setString(i + 1, values.get(i));
        }
    }

    private String select(Connection connection) throws SQLException {
        return "SELECT LEFT(id, " + (MOST_ID + 1)
                + ") AS id, UNIX_TIMESTAMP(announced) AS seconds, LEFT(name, 255) AS name, LEFT(version, 12) AS version,"
                + " LEFT(codecs, "
                + (MOST_CODECS + 1) + ") AS codecs, "
                + (hasDictionaries(connection) ? "LEFT(dictionaries, " + (MOST_DICTIONARIES + 1) + ")" : "''")
                + " AS dictionaries FROM " + table;
    }

    private static List<Row> rows(PreparedStatement statement, Set<String> problems) throws SQLException {
        statement.setMaxRows(0);
        try (ResultSet rows = statement.executeQuery()) {
            List<Row> found = new ArrayList<>();
            while (rows.next()) {
                found.add(new Row(rows.getString("id"), rows.getLong("seconds"), reader(rows, problems)));
            }
            return found;
        }
    }

    private static Reader reader(ResultSet row, Set<String> problems) throws SQLException {
        String name = String.valueOf(row.getString("name")).replaceAll("\\p{Cntrl}", "?");
        try {
            if (String.valueOf(row.getString("id")).length() > MOST_ID) {
                throw new IllegalArgumentException("an id of more than " + MOST_ID + " characters");
            }
            Set<String> codecs = words(row.getString("codecs"), MOST_CODECS, CODEC);
            String numbers = row.getString("dictionaries");
            Set<Integer> dictionaries = words(numbers == null ? "" : numbers, MOST_DICTIONARIES, DICTIONARY).stream()
                    .map(number -> Integer.parseInt(number, 16))
                    .collect(Collectors.toCollection(HashSet::new));
            return new Reader(name, row.getInt("version"), codecs, dictionaries);
        } catch (IllegalArgumentException | SQLException e) { // the latter for a version that is not a number
            problems.add(name);
            return new Reader(name, 0, Set.of(), Set.of());
        }
    }

    /** Those that were not there at the last time. */
    private void log(Set<String> problems) {
        Set<String> before = logged;
        logged = problems;
        List<String> others =
                problems.stream().filter(name -> !before.contains(name)).toList();
        if (!others.isEmpty()) {
            System.getLogger(ReaderRegistry.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "rows of blobmark_readers are not understood, so nothing is encoded: {0}",
                            ReaderRegistry.inWords(others));
        }
    }

    /**
     * Requires a reader that the table can hold: a server that is not strict would cut what is too long.
     *
     * @throws IllegalArgumentException if it cannot
     */
    static void requireFits(Reader reader) {
        if (reader.version() < 0) {
            throw new IllegalArgumentException(
                    "the version of a reader is " + reader.version() + ", and not 0 or more");
        }
        if (reader.name().length() > MOST_NAME) {
            throw new IllegalArgumentException("the name of a reader has more than " + MOST_NAME + " characters");
        }
        for (String codec : reader.codecs()) {
            if (!CODEC.matcher(codec).matches()) {
                throw new IllegalArgumentException("'" + codec + "' is not the name of a codec");
            }
        }
        words(String.join(",", reader.codecs()), MOST_CODECS, CODEC);
    }

    private static Set<String> words(String text, int longest, Pattern form) {
        if (text == null || text.length() > longest) { // a part of a longer one may end within a word
            throw new IllegalArgumentException("not a list of " + longest + " characters or less");
        }
        if (text.isEmpty()) {
            return Set.of();
        }
        String[] words = text.split(",", -1);
        for (String word : words) {
            if (!form.matcher(word).matches()) {
                throw new IllegalArgumentException("'" + word + "' is not a word of the list");
            }
        }
        // whoever writes the table may choose words for which Set.of would take long
        Set<String> different = new HashSet<>(List.of(words));
        if (different.size() < words.length) {
            throw new IllegalArgumentException("a word is there twice");
        }
        return different;
    }
}
