package dev.blobmark.bench.reencode;

import dev.blobmark.mysql.client.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A server that follows another one on this machine by the binary log. Confined to one thread. */
public final class Replica {

    private static final String USER = "repl";
    private static final String PASSWORD = "of-the-bench";
    private static final int PATIENCE_SECONDS = 60;

    private final Connection source;
    private final Connection replica;
    private final boolean isMariaDb;

    private Replica(Connection source, Connection replica, boolean isMariaDb) {
        this.source = source;
        this.replica = replica;
        this.isMariaDb = isMariaDb;
    }

    /** Where the log ends. */
    private record Place(String file, String offset) {}

    /**
     * Lets a server follow another one from now on.
     *
     * @param port of the source
     * @param source a connection that stays open
     * @param replica the same, to a server that has nothing yet
     */
    public static Replica follow(Connection source, int port, Connection replica, boolean isMariaDb)
            throws SQLException {
        Sql.execute(source, "CREATE USER '" + USER + "'@'127.0.0.1' IDENTIFIED BY '" + PASSWORD + "'");
        Sql.execute(source, "GRANT REPLICATION SLAVE ON *.* TO '" + USER + "'@'127.0.0.1'");
        Replica made = new Replica(source, replica, isMariaDb);
        Place place = made.place();
        Sql.execute(
                replica,
                ((isMariaDb ? "CHANGE MASTER TO" : "CHANGE REPLICATION SOURCE TO") + " X_HOST='127.0.0.1', X_PORT="
                                + port + ", X_USER='" + USER + "', X_PASSWORD='" + PASSWORD + "', X_LOG_FILE='"
                                + place.file() + "', X_LOG_POS=" + place.offset()
                                + ", X_SSL=0" + (isMariaDb ? "" : ", GET_SOURCE_PUBLIC_KEY=1"))
                        .replace("X_", isMariaDb ? "MASTER_" : "SOURCE_"));
        Sql.execute(replica, "START REPLICA");
        return made;
    }

    private Place place() throws SQLException {
        try (Statement statement = source.createStatement();
                ResultSet row = statement.executeQuery(isMariaDb ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS")) {
            row.next();
            return new Place(row.getString(1), row.getString(2));
        }
    }

    /**
     * Waits until the replica has all that the source's log has now.
     *
     * @throws IllegalStateException if it has stopped, with the reason, or does not come that far within a minute
     */
    public void await() throws SQLException {
        Place place = place();
        String waited = Sql.row(
                        replica,
                        "SELECT " + (isMariaDb ? "MASTER_POS_WAIT" : "SOURCE_POS_WAIT") + "('" + place.file() + "', "
                                + place.offset() + ", " + PATIENCE_SECONDS + ") AS waited")
                .get("waited");
        if (waited == null || waited.equals("-1")) {
            throw new IllegalStateException(
                    (waited == null ? "the replica has stopped: " : "the replica is late: ") + error());
        }
    }

    private String error() throws SQLException {
        try (Statement statement = replica.createStatement();
                ResultSet row = statement.executeQuery("SHOW REPLICA STATUS")) {
            return row.next() ? row.getString("Last_SQL_Error") + row.getString("Last_IO_Error") : "it has no source";
        }
    }
}
