package dev.blobmark.reencode.checkpoint;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.table.Names;
import dev.blobmark.reencode.table.OwnTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The table in the schema of the data with the rows that differed after an exchange:
 * {@code blobmark_reencode_differences}. It has the contents of both tables as they were at the exchange.
 */
public final class Differences {

    public static final String NAME = StateTable.NAME + "_differences";

    /** What became of a row that differed. */
    public enum Fate {
        /** Found, and not dealt with yet. */
        FOUND,
        /** It had become equal by itself. */
        EQUAL,
        BROUGHT_OVER,
        /** Left, since the application has changed it since, or it may not be changed. */
        CONFLICT,
        /** It differs now; whether it did at the exchange is not known. */
        UNDECIDED,
        /** Accepted by the user as it is. */
        ACCEPTED
    }

    /**
     * A row that differed.
     *
     * @param key as texts
     * @param former content in the former table at the exchange; empty if it did not have the row
     * @param fresh content in the new table then, or now if it is undecided; empty if it did not have the row
     */
    public record Difference(List<String> key, Optional<RowContent> former, Optional<RowContent> fresh, Fate fate) {}

    private final TableColumn column;
    private final String table;

    public Differences(TableColumn column) {
        this.column = column;
        table = Names.quoted(column.schema(), NAME);
    }

    public void create(Connection connection) throws SQLException {
        Sql.execute(
                connection,
                "CREATE TABLE IF NOT EXISTS " + table
                        + " (of_table VARCHAR(64) NOT NULL, of_column VARCHAR(64) NOT NULL, key_hash BINARY(16) NOT NULL,"
                        + " row_key LONGTEXT NOT NULL, former LONGTEXT, fresh LONGTEXT, fate VARCHAR(20) NOT NULL,"
                        + " PRIMARY KEY (of_table, of_column, key_hash)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
                        + " COLLATE=utf8mb4_bin COMMENT='" + OwnTable.MARKER + "'");
    }

    public void add(Connection connection, List<Difference> found) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("REPLACE INTO " + table
                + " (of_table, of_column, key_hash, row_key, former, fresh, fate) VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            for (Difference difference : found) {
                String key = State.MAPPER.writeValueAsString(difference.key());
                insert.setString(1, column.table());
                insert.setString(2, column.column());
                insert.setBytes(3, Names.digest(key));
                insert.setString(4, key);
                insert.setString(5, difference.former().map(RowContent::json).orElse(null));
                insert.setString(6, difference.fresh().map(RowContent::json).orElse(null));
                insert.setString(7, difference.fate().name());
                insert.executeUpdate();
            }
        }
    }

    /** In the order of their hashes; empty if the table does not exist. */
    public List<Difference> read(Connection connection) throws SQLException {
        List<Difference> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT row_key, former, fresh, fate FROM " + table
                + " WHERE of_table = ? AND of_column = ? ORDER BY key_hash")) {
            select.setString(1, column.table());
            select.setString(2, column.column());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    found.add(new Difference(
                            List.of(State.MAPPER.readValue(row.getString(1), String[].class)),
                            Optional.ofNullable(row.getString(2)).map(RowContent::parse),
                            Optional.ofNullable(row.getString(3)).map(RowContent::parse),
                            Fate.valueOf(row.getString(4))));
                }
            }
        } catch (SQLException e) {
            if (e.getErrorCode() != StateTable.NO_SUCH_TABLE) {
                throw e;
            }
        }
        return found;
    }

    public void decide(Connection connection, Difference difference, Fate fate) throws SQLException {
        add(connection, List.of(new Difference(difference.key(), difference.former(), difference.fresh(), fate)));
    }

    /** Forgets those of the column, and drops the table if nothing else is in it. */
    public void remove(Connection connection) throws SQLException {
        try (PreparedStatement delete =
                connection.prepareStatement("DELETE FROM " + table + " WHERE of_table = ? AND of_column = ?")) {
            delete.setString(1, column.table());
            delete.setString(2, column.column());
            delete.executeUpdate();
        } catch (SQLException e) {
            if (e.getErrorCode() == StateTable.NO_SUCH_TABLE) {
                return;
            }
            throw e;
        }
        if (Sql.strings(connection, "SELECT 1 FROM " + table + " LIMIT 1").isEmpty()) {
            OwnTable.drop(connection, column.schema(), NAME);
        }
    }
}
