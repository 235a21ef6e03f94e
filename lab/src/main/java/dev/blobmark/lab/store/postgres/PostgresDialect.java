package dev.blobmark.lab.store.postgres;

import dev.blobmark.lab.store.Decode;
import dev.blobmark.lab.store.Dialect;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** The SQL of PostgreSQL. */
final class PostgresDialect implements Dialect {

    /** serialization_failure, deadlock_detected, lock_not_available. */
    private static final Set<String> TRANSIENT = Set.of("40001", "40P01", "55P03");

    @Override
    public String select(String table, Decode decode) {
        return "SELECT data FROM " + PostgresTable.quoted(table) + " WHERE id = ?";
    }

    @Override
    public String scan(String table, Decode decode) {
        return "SELECT data FROM " + PostgresTable.quoted(table) + " ORDER BY id";
    }

    @Override
    public String insert(String table, int rows) {
        return "INSERT INTO " + PostgresTable.quoted(table) + " (id, data) VALUES (?, ?)" + ", (?, ?)".repeat(rows - 1);
    }

    @Override
    public String update(String table) {
        return "UPDATE " + PostgresTable.quoted(table) + " SET data = ? WHERE id = ?";
    }

    @Override
    public String contains(String set, int keys) {
        throw new UnsupportedOperationException("PostgreSQL stores no sets");
    }

    @Override
    public String count(String table) {
        return "SELECT count(*) FROM " + PostgresTable.quoted(table);
    }

    /** A hash reads the whole value, unlike its length. */
    @Override
    public String readThrough(String table) {
        return "SELECT count(md5(data)) FROM " + PostgresTable.quoted(table);
    }

    @Override
    public String open(String table) {
        return "SELECT 1 FROM " + PostgresTable.quoted(table) + " LIMIT 0";
    }

    @Override
    public Optional<String> transientCode(Exception error) {
        return error instanceof SQLException e && TRANSIENT.contains(String.valueOf(e.getSQLState()))
                ? Optional.of(e.getSQLState())
                : Optional.empty();
    }

    /** Any error ends the transaction. */
    @Override
    public boolean rollsBack(SQLException error) {
        return true;
    }
}
