package dev.blobmark.value;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Dictionaries in tables of MySQL or MariaDB: {@code blobmark_dictionaries}, and {@code blobmark_dictionary_columns}
 * with the columns whose values were encoded with them. Keep them in the schema of the values, so that a dump has both.
 *
 * <p>A dictionary is not changed, and it is deleted only if no value of these columns refers to it.
 */
public final class DictionaryTable implements Dictionaries {

    private static final String CREATE_DICTIONARIES =
            "CREATE TABLE IF NOT EXISTS %s (number INT UNSIGNED NOT NULL PRIMARY KEY, sha256 BINARY(32) NOT NULL,"
                    + " bytes MEDIUMBLOB NOT NULL, created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP) ENGINE=InnoDB";
    private static final String CREATE_COLUMNS =
            "CREATE TABLE IF NOT EXISTS %s (number INT UNSIGNED NOT NULL, of_table VARCHAR(130) NOT NULL, of_column"
                    + " VARCHAR(64) NOT NULL, PRIMARY KEY (number, of_table, of_column)) ENGINE=InnoDB"
                    + " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

    /** The third byte of a frame of zstd with a dictionary, without and with a checksum. */
    private static final String REFERS = "SUBSTRING(%1$s, 1, 2) = X'BEC1' AND SUBSTRING(%1$s, 3, 1) IN (X'46', X'47')"
            + " AND SUBSTRING(%1$s, 4, 3) = ?";

    private final DataSource source;
    private final String dictionaries;
    private final String columns;

    private DictionaryTable(DataSource source, String schema) {
        this.source = source;
        dictionaries = Identifiers.quoted(schema + ".blobmark_dictionaries");
        columns = Identifiers.quoted(schema + ".blobmark_dictionary_columns");
    }

    /**
     * The dictionaries of a schema. Nothing is read or created.
     *
     * @param source its connections are closed after each call
     */
    public static DictionaryTable in(DataSource source, String schema) {
        return new DictionaryTable(source, schema);
    }

    /** Creates the tables where they are missing. */
    public DictionaryTable create() {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE_DICTIONARIES.formatted(dictionaries));
            statement.execute(CREATE_COLUMNS.formatted(columns));
            return this;
        } catch (SQLException e) {
            throw failed("the tables of dictionaries could not be created", e);
        }
    }

    /** @throws DictionaryException if the table cannot be read, or the bytes are not those that were stored */
    @Override
    public Optional<Dictionary> find(int number) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT sha256, bytes FROM " + dictionaries + " WHERE number = ?")) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(checked(number, rows.getBytes(1), rows.getBytes(2)))
                        : Optional.empty();
            }
        } catch (SQLException e) {
            throw failed("dictionary " + Dictionary.name(number) + " could not be read", e);
        }
    }

    private static Dictionary checked(int number, byte[] sha256, byte[] bytes) {
        if (!Arrays.equals(sha256, Dictionary.sha256(bytes)) || Dictionary.number(sha256) != number) {
            throw new DictionaryException("dictionary " + Dictionary.name(number) + " was changed in its table");
        }
        return Dictionary.of(bytes);
    }

    /** All dictionaries, by number. */
    public List<Dictionary> all() {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT number, sha256, bytes FROM " + dictionaries + " ORDER BY number")) {
            List<Dictionary> found = new ArrayList<>();
            while (rows.next()) {
                found.add(checked(rows.getInt(1), rows.getBytes(2), rows.getBytes(3)));
            }
            return found;
        } catch (SQLException e) {
            throw failed("the dictionaries could not be read", e);
        }
    }

    /**
     * Stores a dictionary, and that values of a column are encoded with it. To be called before the first value is.
     * Does nothing if both are known.
     *
     * @param table such as {@code orders} or {@code shop.orders}
     * @throws DictionaryException if another dictionary has the same number: train it on other values
     */
    public void add(Dictionary dictionary, String table, String column) {
        Identifiers.quoted(table);
        Identifiers.quoted(column);
        Optional<Dictionary> known = find(dictionary.number());
        if (known.isPresent() && !Arrays.equals(known.get().sha256(), dictionary.sha256())) {
            throw new DictionaryException("another dictionary has the number " + Dictionary.name(dictionary.number())
                    + ": train it again on other values");
        }
        try (Connection connection = source.getConnection()) {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT IGNORE INTO " + dictionaries + " (number, sha256, bytes) VALUES (?, ?, ?)")) {
                insert.setInt(1, dictionary.number());
                insert.setBytes(2, dictionary.sha256());
                insert.setBytes(3, dictionary.bytes());
                insert.executeUpdate();
            }
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT IGNORE INTO " + columns + " (number, of_table, of_column) VALUES (?, ?, ?)")) {
                insert.setInt(1, dictionary.number());
                insert.setString(2, table);
                insert.setString(3, column);
                insert.executeUpdate();
            }
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw failed(dictionary + " could not be stored", e);
        }
        find(dictionary.number())
                .filter(stored -> Arrays.equals(stored.sha256(), dictionary.sha256()))
                .orElseThrow(() -> new DictionaryException(dictionary + " was not stored"));
    }

    /**
     * Deletes a dictionary that no value refers to. Reads all values of its columns. Stop writing with it before.
     *
     * @throws DictionaryException if a value refers to it; the message names the column
     */
    public void delete(int number) {
        try (Connection connection = source.getConnection()) {
            for (String[] column : columns(connection, number)) {
                requireNoReference(connection, number, column[0], column[1]);
            }
            for (String table : List.of(columns, dictionaries)) {
                try (PreparedStatement delete =
                        connection.prepareStatement("DELETE FROM " + table + " WHERE number = ?")) {
                    delete.setInt(1, number);
                    delete.executeUpdate();
                }
            }
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw failed("dictionary " + Dictionary.name(number) + " was not deleted", e);
        }
    }

    private List<String[]> columns(Connection connection, int number) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT of_table, of_column FROM " + columns + " WHERE number = ?")) {
            statement.setInt(1, number);
            try (ResultSet rows = statement.executeQuery()) {
                List<String[]> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(new String[] {rows.getString(1), rows.getString(2)});
                }
                return found;
            }
        }
    }

    private static void requireNoReference(Connection connection, int number, String table, String column)
            throws SQLException {
        String refers = REFERS.formatted(Identifiers.quoted(column));
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT 1 FROM " + Identifiers.quoted(table) + " WHERE " + refers + " LIMIT 1")) {
            statement.setBytes(1, new byte[] {(byte) (number >>> 16), (byte) (number >>> 8), (byte) number});
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    throw new DictionaryException("dictionary " + Dictionary.name(number)
                            + " is not deleted: values of " + table + "." + column + " refer to it");
                }
            }
        }
    }

    private static DictionaryException failed(String what, SQLException e) {
        return new DictionaryException(what + ": " + e.getMessage(), e);
    }
}
