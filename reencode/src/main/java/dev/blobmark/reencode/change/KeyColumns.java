package dev.blobmark.reencode.change;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.binlog.KeyReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Where the columns of a key are in the rows of the binary log. */
public final class KeyColumns {

    private static final String COLUMNS =
            "SELECT column_name, ordinal_position, data_type, column_type, character_maximum_length FROM"
                    + " information_schema.columns WHERE table_schema = ? AND table_name = ?";

    /** A UNIQUE index by a hash has a hidden column behind the others (MariaDB 10.4). */
    private static final String HIDDEN =
            "SELECT COUNT(DISTINCT index_name) FROM information_schema.statistics WHERE table_schema = ? AND table_name ="
                    + " ? AND index_type = 'HASH'";

    private KeyColumns() {}

    public static KeyReader reader(Connection connection, TableColumn column, TableKey key) throws SQLException {
        Map<String, KeyReader.Part> parts = new HashMap<>();
        int columns = 0;
        try (PreparedStatement select = connection.prepareStatement(COLUMNS)) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    columns++;
                    boolean isPadded = row.getString(3).equalsIgnoreCase("binary");
                    parts.put(
                            row.getString(1),
                            new KeyReader.Part(
                                    row.getString(1),
                                    row.getInt(2) - 1,
                                    row.getString(4).toLowerCase(Locale.ROOT).contains("unsigned"),
                                    isPadded ? row.getInt(5) : 0));
                }
            }
        }
        try (PreparedStatement select = connection.prepareStatement(HIDDEN)) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                row.next();
                columns += row.getInt(1);
            }
        }
        List<KeyReader.Part> ofKey = key.names().stream().map(parts::get).toList();
        return new KeyReader(columns, ofKey);
    }
}
