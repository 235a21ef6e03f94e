package dev.blobmark.value.integration;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Plain JDBC. */
record JdbcOrders(DataSource source) implements Orders {

    @Override
    public void insert(int id, byte[] payload) {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
            insert.setInt(1, id);
            insert.setBytes(2, Formats.PAYLOAD.encode(payload));
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public byte[] payload(int id) {
        try (Connection connection = source.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT payload FROM orders WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                return Formats.PAYLOAD.decode(rows.getBytes(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
