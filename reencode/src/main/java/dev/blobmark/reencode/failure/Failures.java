package dev.blobmark.reencode.failure;

import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.ServerFailure;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.table.TableColumn;
import java.sql.SQLException;
import java.util.Set;

/** What failures of the work mean. */
public final class Failures {

    /**
     * ER_SERVER_SHUTDOWN, ER_QUERY_INTERRUPTED of KILL, ER_CONNECTION_KILLED of MariaDB, ER_SESSION_WAS_KILLED and
     * ER_CLIENT_INTERACTION_TIMEOUT of MySQL.
     */
    private static final Set<Integer> LOST = Set.of(1053, 1317, 1927, 3169, 4031);

    /** ER_NET_PACKET_TOO_LARGE, of SQLSTATE class 08. It would be the same again. */
    private static final int TOO_LARGE = 1153;

    /** ER_NO_SUCH_TABLE, ER_BAD_FIELD_ERROR, ER_TABLE_DEF_CHANGED if it was rebuilt while it was compared. */
    private static final Set<Integer> REDEFINED = Set.of(1146, 1054, 1412);

    /** ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK. */
    private static final Set<Integer> HELD = Set.of(1205, 1213);

    /**
     * Besides SQLSTATE class 22, of a row that its own definition refuses, because it was written under other settings:
     * ER_CHECK_CONSTRAINT_VIOLATED, ER_CONSTRAINT_FAILED of MariaDB, WARN_DATA_TRUNCATED and
     * ER_TRUNCATED_WRONG_VALUE_FOR_FIELD of a generated column.
     */
    private static final Set<Integer> UNFIT = Set.of(3819, 4025, 1265, 1366);

    /** ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED. */
    private static final Set<Integer> LIMITED = Set.of(1203, 1226);

    /** ER_WARN_ALLOWED_PACKET_OVERFLOWED. */
    private static final int EXCEEDS_PACKET = 1301;

    private Failures() {}

    /** Whether a row is refused by the definition of its own table. */
    public static boolean isUnfit(TableColumn column, SQLException e) {
        return isData(e) && !names(column, e);
    }

    private static boolean isData(SQLException e) {
        return UNFIT.contains(e.getErrorCode())
                || String.valueOf(e.getSQLState()).startsWith("22");
    }

    /** Whether the server complains about the changed column itself: it became text, or shorter. */
    private static boolean names(TableColumn column, SQLException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("'" + column.column() + "'") || message.contains(Sql.quoted(column.column()));
    }

    /** @param place the column, and the row if it is known */
    public static ReencodeException unfit(String place, SQLException e) {
        return new ReencodeException(
                place,
                "a row would be refused by the table's own definition (" + e.getMessage()
                        + "): it was written under other settings, such as another sql_mode or without checks",
                "correct such rows, or drop the CHECK or the generated column for the time of the change; the same command"
                        + " continues",
                e);
    }

    /** Whether it may work with new connections, or on other hosts. */
    public static boolean isConnectionLost(Exception e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof ServerException
                    || cause instanceof ConnectionLostException
                    || cause instanceof HostLostException
                    || cause instanceof SQLException sql && isConnectionLost(sql)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isConnectionLost(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("08") && e.getErrorCode() != TOO_LARGE
                || LOST.contains(e.getErrorCode());
    }

    /**
     * A full disk, a server that became read-only, missing privileges, and a table that others have altered or dropped
     * have their own words.
     */
    public static Exception refusal(TableColumn column, Exception e) {
        if (e instanceof ServerException) {
            return e; // it could not be connected to, or refused the login
        }
        if (e instanceof SQLException sql
                && (REDEFINED.contains(sql.getErrorCode()) || isData(sql) && names(column, sql))) {
            return new ReencodeException(
                    column.name(),
                    "the table was changed meanwhile (" + e.getMessage() + ")",
                    "if the column is still there, the same command continues",
                    e);
        }
        if (e instanceof SQLException sql && isUnfit(column, sql)) {
            return unfit(column.name(), sql);
        }
        if (e instanceof SQLException sql && HELD.contains(sql.getErrorCode())) {
            return new AdmissionException(
                    column.name() + ": others hold the table, or rows of it, for too long (" + e.getMessage()
                            + "); end long transactions, backups and LOCK TABLES; the same command continues",
                    e);
        }
        if (e instanceof SQLException sql && LIMITED.contains(sql.getErrorCode())) {
            return new AdmissionException(
                    column.name() + ": the account may have no more connections (" + e.getMessage()
                            + "); a copy needs 12, a change in place 5 for each writer: raise MAX_USER_CONNECTIONS; the same command continues",
                    e);
        }
        if (e instanceof SQLException sql && sql.getErrorCode() == EXCEEDS_PACKET) {
            return new AdmissionException(
                    column.name() + ": a value is longer, as text, than max_allowed_packet (" + e.getMessage()
                            + "); raise max_allowed_packet, 1 GB at most; the same command continues",
                    e);
        }
        if (e instanceof UnavailableException) {
            return new AdmissionException(column.name() + ": " + e.getMessage(), e);
        }
        String continues = "; when that is repaired, the same command continues";
        return ServerFailure.reason(e)
                .<Exception>map(reason -> new AdmissionException(column.name() + ": " + reason + continues, e))
                .orElse(e);
    }
}
