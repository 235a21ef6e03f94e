package dev.blobmark.lab.store;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The SQL of MySQL, MariaDB and the SQL nodes of a cluster.
 *
 * @param isClustered whether tables are in the data nodes of a cluster
 */
public record MySqlDialect(String schema, boolean isClustered) implements Dialect {

    private static final int DEADLOCK = 1213;

    /** A lock wait timeout. */
    private static final int LOCK_WAIT = 1205;

    private static final int TOO_MANY_TRANSACTIONS = 1637;

    /** Wraps a temporary error of NDB, whose code is in the message. */
    private static final int NDB_TEMPORARY = 1297;

    private static final Set<Integer> TRANSIENT = Set.of(DEADLOCK, LOCK_WAIT, TOO_MANY_TRANSACTIONS, NDB_TEMPORARY);

    private static final Pattern NDB_CODE = Pattern.compile("temporary error (\\d+)");

    /** A table's name in a statement. */
    String quoted(String table) {
        return "`" + schema + "`.`" + table + "`";
    }

    private static String value(Decode decode) {
        return decode == Decode.SERVER ? "UNCOMPRESS(data)" : "data";
    }

    @Override
    public String select(String table, Decode decode) {
        return "SELECT " + value(decode) + " FROM " + quoted(table) + " WHERE id = ?";
    }

    @Override
    public String scan(String table, Decode decode) {
        return "SELECT " + value(decode) + " FROM " + quoted(table) + " ORDER BY id";
    }

    @Override
    public String insert(String table, int rows) {
        return "INSERT INTO " + quoted(table) + " (id, data) VALUES (?, ?)" + ", (?, ?)".repeat(rows - 1);
    }

    /** Inserts a row with this placeholder of the value. */
    String insert(String table, String placeholder) {
        return "INSERT INTO " + quoted(table) + " (id, data) VALUES (?, " + placeholder + ")";
    }

    /** Inserts keys into a set. */
    String insertKeys(String set, int keys) {
        return "INSERT INTO " + quoted(set) + " (id) VALUES (?)" + ", (?)".repeat(keys - 1);
    }

    @Override
    public String update(String table) {
        return "UPDATE " + quoted(table) + " SET data = ? WHERE id = ?";
    }

    @Override
    public String contains(String set, int keys) {
        String of = " FROM " + quoted(set) + " WHERE id ";
        return keys == 1 ? "SELECT 1" + of + "= ?" : "SELECT id" + of + "IN (?" + ", ?".repeat(keys - 1) + ")";
    }

    @Override
    public String count(String table) {
        return "SELECT COUNT(*) FROM " + quoted(table);
    }

    @Override
    public String readThrough(String table) {
        return "SELECT SUM(CRC32(data)) FROM " + quoted(table);
    }

    @Override
    public String open(String table) {
        return "SELECT 1 FROM " + quoted(table) + " LIMIT 0";
    }

    /** The server's code, followed by that of NDB if there is one: {@code 1297/410}. */
    @Override
    public Optional<String> transientCode(Exception error) {
        if (!(error instanceof SQLException e) || !TRANSIENT.contains(e.getErrorCode())) {
            return Optional.empty();
        }
        Matcher ndb = NDB_CODE.matcher(String.valueOf(e.getMessage()));
        return Optional.of(
                e.getErrorCode() + (e.getErrorCode() == NDB_TEMPORARY && ndb.find() ? "/" + ndb.group(1) : ""));
    }

    /** In a cluster, some errors end the transaction after which InnoDB rolls back only the statement. */
    @Override
    public boolean rollsBack(SQLException error) {
        int code = error.getErrorCode();
        return code == DEADLOCK || isClustered && (code == LOCK_WAIT || code == NDB_TEMPORARY);
    }
}
