package dev.blobmark.reencode;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.row.WritingConnection;
import dev.blobmark.reencode.table.Names;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;

/** The lock of the server that shows that a column is being changed. */
final class ChangeLock {

    private static final int LOCK_SECONDS = 5;

    private ChangeLock() {}

    /**
     * Takes it for the time of the connection.
     *
     * @throws AdmissionException if another connection has it
     */
    static void take(Connection connection, TableColumn column) throws SQLException {
        String name = "'blobmark_reencode:" + HexFormat.of().formatHex(Names.digest(column.name())) + "'";
        if (!"1".equals(single(connection, "SELECT GET_LOCK(" + name + ", " + LOCK_SECONDS + ")"))) {
            throw new AdmissionException(column.name()
                    + ": another process is changing it: wait for its end, or stop it; its socket or Ctrl-C does."
                    + " Connection " + single(connection, "SELECT IS_USED_LOCK(" + name + ")")
                    + " of the server has its lock");
        }
        Sql.execute(connection, "SET SESSION wait_timeout = " + WritingConnection.WAIT_SECONDS);
    }

    private static String single(Connection connection, String sql) throws SQLException {
        return Sql.strings(connection, sql).get(0);
    }
}
