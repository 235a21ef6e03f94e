package dev.blobmark.reencode.change;

import dev.blobmark.mysql.admission.Replication;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.binlog.KeyReader;
import dev.blobmark.reencode.binlog.LogPosition;
import dev.blobmark.reencode.binlog.LogStream;
import dev.blobmark.reencode.binlog.TableChanges;
import dev.blobmark.reencode.binlog.TableName;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A place in the binary log of one server. A file of the same name may be another one: of another server, or after all
 * files were reset.
 *
 * @param position file and offset
 * @param server identity of the server
 * @param fileCreatedSeconds when the file was begun, in seconds since 1970
 */
public record LogPlace(String position, String server, long fileCreatedSeconds) {

    /** ER_PARSE_ERROR: the version does not have the statement. */
    private static final int SYNTAX = 1064;

    /** Where the log is written now. */
    public static String position(Connection connection) throws SQLException {
        Map<String, String> status = status(connection);
        return status.get("file") + ":" + status.get("position");
    }

    /**
     * What the server says of its log: file, position and filters, by names in lower case.
     *
     * @throws IncompleteLogException if there is no log
     */
    static Map<String, String> status(Connection connection) throws SQLException {
        boolean isMariaDb = Sql.strings(connection, "SELECT VERSION()").get(0).contains("MariaDB");
        SQLException failure = null;
        for (String sql :
                isMariaDb ? List.of("SHOW MASTER STATUS") : List.of("SHOW BINARY LOG STATUS", "SHOW MASTER STATUS")) {
            try {
                Map<String, String> status = Sql.row(connection, sql);
                if (status.isEmpty()) {
                    throw new IncompleteLogException("the server does not write a binary log");
                }
                return status;
            } catch (SQLException e) {
                if (e.getErrorCode() != SYNTAX) {
                    throw e;
                }
                failure = e;
            }
        }
        throw failure;
    }

    /** The present end of the log. */
    public static LogPlace now(Endpoint endpoint, Connection connection) throws SQLException {
        LogPosition position = LogPosition.parse(position(connection));
        TableChanges changes = new TableChanges(
                new TableName("", "", true), new KeyReader(0, List.of()), position, Optional.empty(), NOBODY);
        try (LogStream stream = new LogStream(endpoint, position)) {
            while (changes.fileCreatedSeconds().isEmpty()) {
                changes.read(stream.next());
            }
            return new LogPlace(
                    position.toString(),
                    new Replication(connection).server(),
                    changes.fileCreatedSeconds().get());
        } catch (IOException e) {
            throw new SQLException("the binary log cannot be read: " + e.getMessage(), "08S01", e);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody waits", e);
        }
    }

    private static final TableChanges.Listener NOBODY = new TableChanges.Listener() {
        @Override
        public void changed(List<Object> key) {
            throw new AssertionError("no table has an empty name");
        }

        @Override
        public void ended(LogPosition place, long fileCreatedSeconds) {
            // nothing is read of it
        }
    };

    /** @throws IncompleteLogException if this is the log of another server */
    void requireServer(Connection connection) throws SQLException {
        if (!server.equals(new Replication(connection).server())) {
            throw new IncompleteLogException("the copy was begun on another server, whose log this one does not have");
        }
    }

    /** @throws IncompleteLogException if the log was reset since */
    void requireFile(long createdSeconds) {
        if (createdSeconds != fileCreatedSeconds) {
            throw new IncompleteLogException("the log was reset: its file in " + position + " is another one");
        }
    }
}
