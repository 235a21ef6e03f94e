package dev.blobmark.reencode.binlog;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.mariadb.jdbc.Statement;
import org.mariadb.jdbc.client.Client;
import org.mariadb.jdbc.client.Completion;
import org.mariadb.jdbc.client.Context;
import org.mariadb.jdbc.client.socket.Reader;
import org.mariadb.jdbc.client.socket.Writer;
import org.mariadb.jdbc.client.util.ClosableLock;
import org.mariadb.jdbc.export.ExceptionFactory;
import org.mariadb.jdbc.message.ClientMessage;

/**
 * The events of the binary log as the server sends them, over a connection of the JDBC driver: with the same account,
 * encryption and certificates as all others. The server says once in ten seconds that it has nothing to send; after a
 * minute without a word it is lost.
 */
public final class LogStream implements LogEvents {

    private static final int BINLOG_DUMP = 0x12;

    /** MariaDB leaves out no events then. */
    private static final int SEND_ANNOTATE_ROWS = 2;

    private static final int OK = 0;
    private static final int END = 0xFE;
    private static final int ERROR = 0xFF;
    private static final int SQLSTATE_BYTES = 6;

    private static final long HEARTBEAT_NANOS = 10_000_000_000L;
    private static final int SILENCE_MILLIS = 60_000;

    /** Server ids of replicas are usually small numbers. */
    private static final long LEAST_ID = 3_000_000_000L;

    private static final long MOST_ID = 4_200_000_000L;

    /**
     * ER_MASTER_FATAL_ERROR_READING_BINLOG: a purged or reset log, a damaged one, or one that ends before the place.
     */
    private static final Set<Integer> UNREADABLE = Set.of(1236);

    private final Endpoint endpoint;
    private final Connection connection;
    private final long session;
    private final Reader reader;

    /**
     * Asks for the log.
     *
     * @param from where the first event begins
     * @throws IncompleteLogException if the place is beyond what the protocol can ask for
     */
    public LogStream(Endpoint endpoint, LogPosition from) throws SQLException {
        this.endpoint = endpoint;
        if (from.offset() > LogPosition.MAX_OFFSET) {
            throw new IncompleteLogException(
                    "the copy ended at " + from + ", and a reader can begin at an offset of at most 4 GB");
        }
        connection = JdbcDriver.connectToWatch(endpoint);
        try {
            session = Long.parseLong(
                    Sql.strings(connection, "SELECT CONNECTION_ID()").get(0));
            for (String variable : new String[] {"master", "source"}) {
                Sql.execute(
                        connection,
                        "SET @" + variable + "_binlog_checksum = @@GLOBAL.binlog_checksum, @" + variable
                                + "_heartbeat_period = " + HEARTBEAT_NANOS);
            }
            Sql.execute(connection, "SET @mariadb_slave_capability = 4"); // all events as they are
            Sql.execute(connection, "DO GET_LOCK(" + lock(session) + ", 0)");
            connection.setNetworkTimeout(Runnable::run, SILENCE_MILLIS);
            Client client = connection.unwrap(org.mariadb.jdbc.Connection.class).getClient();
            Dump dump = new Dump(from, ThreadLocalRandom.current().nextLong(LEAST_ID, MOST_ID));
            client.execute(dump, false);
            reader = dump.reader;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** The lock of a session of ours, as SQL. */
    private static String lock(long session) {
        return "'blobmark.log." + session + "'";
    }

    /** Whether a session that reads the log is one of Blobmark, of whatever process: it holds a lock that names it. */
    public static boolean isOurs(Connection connection, long session) throws SQLException {
        return Sql.strings(connection, "SELECT IS_USED_LOCK(" + lock(session) + ") <=> " + session)
                .equals(List.of("1"));
    }

    @Override
    public byte[] next() throws IOException {
        byte[] packet = reader.readPacket(false);
        int kind = packet.length == 0 ? END : Byte.toUnsignedInt(packet[0]);
        return switch (kind) {
            case OK -> new Bytes(packet, 1, packet.length).bytes(packet.length - 1L);
            case END -> throw new IOException("the server ended the log");
            case ERROR -> throw error(new Bytes(packet, 1, packet.length));
            default -> throw new IncompleteLogException("the server sent a packet of the unknown kind " + kind);
        };
    }

    private static IOException error(Bytes packet) {
        int code = (int) packet.little(Short.BYTES);
        if (packet.left() >= SQLSTATE_BYTES) {
            packet.skip(SQLSTATE_BYTES);
        }
        String message = packet.text(packet.left()) + " (error " + code + ")";
        if (UNREADABLE.contains(code)) {
            throw new IncompleteLogException("the server cannot send its log: " + message);
        }
        return new IOException(message);
    }

    /** The server notices the end of a connection only when it has something to send, so it is killed. */
    @Override
    public void close() throws SQLException {
        try (Connection killing = JdbcDriver.connectToWatch(endpoint)) {
            Sql.execute(killing, "KILL " + session);
        } catch (SQLException e) {
            // it was gone already, or will be
        } finally {
            connection.close();
        }
    }

    /** The command, whose answers are read by {@link #next}. */
    private static final class Dump implements ClientMessage {
        private final LogPosition from;
        private final long serverId;
        private Reader reader;

        Dump(LogPosition from, long serverId) {
            this.from = from;
            this.serverId = serverId;
        }

        @Override
        public int encode(Writer writer, Context context) throws IOException {
            writer.initPacket();
            writer.writeByte(BINLOG_DUMP);
            writer.writeInt((int) from.offset());
            writer.writeShort((short) SEND_ANNOTATE_ROWS);
            writer.writeInt((int) serverId);
            writer.writeString(from.file());
            writer.flush();
            return 1;
        }

        @Override
        public Completion readPacket(
                Statement statement,
                int fetchSize,
                long maxRows,
                int concurrency,
                int type,
                boolean closeOnCompletion,
                Reader from,
                Writer writer,
                Context context,
                ExceptionFactory exceptions,
                ClosableLock lock,
                boolean isTraced,
                ClientMessage message,
                Consumer<String> redirect) {
            reader = from;
            return null;
        }
    }
}
