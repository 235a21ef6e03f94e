package dev.blobmark.reencode;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.RotateEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.TransactionPayloadEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.network.SSLMode;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.server.Endpoint;
import java.io.IOException;
import java.io.Serializable;
import java.net.Socket;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLSocket;

/**
 * Reads changes from the binary log, with row images of any kind: each has the key. The log is read by a thread of the
 * client library; it waits when too much was read ahead.
 */
final class LogFeed implements ChangeFeed {

    /** Of the client library, which reports each connection. Kept, since loggers are collected otherwise. */
    private static final Logger LOGGER = Logger.getLogger(BinaryLogClient.class.getName());

    static {
        LOGGER.setLevel(Level.WARNING);
    }

    private static final int READ_AHEAD = 10_000;
    private static final long CONNECT_MILLIS = 10_000;
    private static final long OFFER_SECONDS = 1;

    /** Server ids of replicas are usually small numbers. */
    private static final long LEAST_ID = 3_000_000_000L;

    private static final long MOST_ID = 4_200_000_000L;

    private final TableColumn column;
    private final KeyColumns key;
    private final Endpoint endpoint;
    private final BinaryLogClient client;
    private final BlockingQueue<Item> queue = new ArrayBlockingQueue<>(READ_AHEAD);
    private volatile Optional<Exception> failure = Optional.empty();
    private volatile boolean isClosed;

    // of the client's thread
    private String file;
    private long tableId = -1;

    /** All that was committed up to here was polled. */
    private Place polled;

    /** A place of the log. */
    record Place(String file, long offset) implements Comparable<Place> {

        static Place parse(String text) {
            int colon = text.lastIndexOf(':');
            return new Place(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
        }

        /** The number of a file has at least six digits, and more when it is larger. */
        private long number() {
            return Long.parseLong(file.substring(file.lastIndexOf('.') + 1));
        }

        @Override
        public int compareTo(Place other) {
            int files = Long.compare(number(), other.number());
            return files != 0 ? files : Long.compare(offset, other.offset);
        }

        @Override
        public String toString() {
            return file + ":" + offset;
        }
    }

    /** A changed key, or the end of a transaction. */
    private record Item(Optional<List<Object>> key, Optional<Place> end) {}

    /**
     * Connects to the server.
     *
     * @param from where to begin
     */
    LogFeed(Endpoint endpoint, TableColumn column, KeyColumns key, String from) throws SQLException {
        this.endpoint = endpoint;
        this.column = column;
        this.key = key;
        polled = Place.parse(from);
        file = polled.file();
        client = new BinaryLogClient(endpoint.host(), endpoint.port(), endpoint.user(), endpoint.password());
        client.setServerId(ThreadLocalRandom.current().nextLong(LEAST_ID, MOST_ID));
        client.setBinlogFilename(polled.file());
        client.setBinlogPosition(polled.offset());
        client.setKeepAlive(false);
        client.setBlocking(true);
        client.setSSLMode(SSLMode.valueOf(endpoint.sslMode().name()));
        if (endpoint.sslMode().isVerifying()) {
            client.setSslSocketFactory(socket -> encrypted(endpoint, socket));
        }
        EventDeserializer deserializer = new EventDeserializer();
        deserializer.setCompatibilityMode(EventDeserializer.CompatibilityMode.CHAR_AND_BINARY_AS_BYTE_ARRAY);
        client.setEventDeserializer(deserializer);
        client.registerEventListener(this::receive);
        client.registerLifecycleListener(new BinaryLogClient.LifecycleListener() {
            @Override
            public void onConnect(BinaryLogClient connected) {
                // events follow
            }

            @Override
            public void onCommunicationFailure(BinaryLogClient connected, Exception e) {
                failure = failure.or(() -> Optional.of(e));
            }

            @Override
            public void onEventDeserializationFailure(BinaryLogClient connected, Exception e) {
                failure = failure.or(() -> Optional.of(e));
            }

            @Override
            public void onDisconnect(BinaryLogClient connected) {
                failure = failure.or(() -> Optional.of(new IOException("the server ended the connection")));
            }
        });
        try {
            client.connect(CONNECT_MILLIS);
        } catch (IOException | TimeoutException e) {
            throw new SQLException("the binary log cannot be read: " + e.getMessage(), "08001", e);
        }
    }

    private static SSLSocket encrypted(Endpoint endpoint, Socket socket) throws SocketException {
        try {
            return (SSLSocket) endpoint.tls()
                    .context(true)
                    .getSocketFactory()
                    .createSocket(socket, endpoint.host(), endpoint.port(), true);
        } catch (GeneralSecurityException | IOException e) {
            throw (SocketException) new SocketException("no encrypted connection: " + e.getMessage()).initCause(e);
        }
    }

    /** Where the log is written now. */
    static String now(Connection connection) throws SQLException {
        boolean isMariaDb = Sql.strings(connection, "SELECT VERSION()").get(0).contains("MariaDB");
        SQLException failure = null;
        for (String sql :
                isMariaDb ? List.of("SHOW MASTER STATUS") : List.of("SHOW BINARY LOG STATUS", "SHOW MASTER STATUS")) {
            try {
                Map<String, String> status = Sql.pairs(connection, sql);
                Map.Entry<String, String> place = status.entrySet().iterator().next();
                return place.getKey() + ":" + place.getValue();
            } catch (SQLException e) {
                failure = e;
            }
        }
        throw failure;
    }

    /** On the client's thread. */
    private void receive(Event event) {
        if (event.getData() instanceof TransactionPayloadEventData payload) {
            payload.getUncompressedEvents().forEach(this::rows);
            put(new Item(Optional.empty(), Optional.of(new Place(file, next(event)))));
            return;
        }
        switch (event.getHeader().getEventType()) {
            case ROTATE -> file = event.<RotateEventData>getData().getBinlogFilename();
            case XID, QUERY, XA_PREPARE -> {
                if (next(event) > 0) {
                    put(new Item(Optional.empty(), Optional.of(new Place(file, next(event)))));
                }
            }
            default -> rows(event);
        }
    }

    private static long next(Event event) {
        return event.getHeader() instanceof EventHeaderV4 header ? header.getNextPosition() : 0;
    }

    private void rows(Event event) {
        if (event.getData() instanceof TableMapEventData map) {
            boolean isOurs = map.getDatabase().equalsIgnoreCase(column.schema())
                    && map.getTable().equalsIgnoreCase(column.table());
            if (isOurs) {
                tableId = map.getTableId();
            } else if (tableId == map.getTableId()) {
                tableId = -1;
            }
        } else if (event.getData() instanceof WriteRowsEventData write && write.getTableId() == tableId) {
            write.getRows().forEach(row -> put(row, write.getIncludedColumns()));
        } else if (event.getData() instanceof DeleteRowsEventData delete && delete.getTableId() == tableId) {
            delete.getRows().forEach(row -> put(row, delete.getIncludedColumns()));
        } else if (event.getData() instanceof UpdateRowsEventData update && update.getTableId() == tableId) {
            for (Map.Entry<Serializable[], Serializable[]> row : update.getRows()) {
                put(row.getKey(), update.getIncludedColumnsBeforeUpdate());
                if (key.isIn(update.getIncludedColumns())) { // MINIMAL: only if it was changed
                    put(row.getValue(), update.getIncludedColumns());
                }
            }
        }
    }

    private void put(Serializable[] row, BitSet included) {
        put(new Item(Optional.of(key.read(row, included)), Optional.empty()));
    }

    private void put(Item item) {
        try {
            while (!isClosed && !queue.offer(item, OFFER_SECONDS, TimeUnit.SECONDS)) {
                // the reader is behind
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void check() throws SQLException {
        if (failure.isPresent() && queue.isEmpty()) {
            throw new SQLException(
                    "the binary log cannot be read: " + failure.get().getMessage(), "08S01", failure.get());
        }
    }

    @Override
    public List<List<Object>> poll(Connection writing, int most) throws SQLException {
        List<List<Object>> keys = new ArrayList<>();
        while (keys.size() < most) {
            Item item = queue.poll();
            if (item == null) {
                check();
                break;
            }
            item.key().ifPresent(keys::add);
            if (item.end().isPresent()) {
                polled = item.end().get();
            }
        }
        return keys;
    }

    /** A transaction that was polled in part is read again, which is harmless. */
    @Override
    public Optional<String> position() {
        return Optional.of(polled.toString());
    }

    @Override
    public String end(Connection asking) throws SQLException {
        return now(asking);
    }

    /** The client's place is raised after an event was put into the queue. */
    @Override
    public boolean hasReached(String end) throws SQLException {
        check();
        Place place = Place.parse(end);
        // the log may end with events that are of no transaction, such as a rotation
        Place read = new Place(client.getBinlogFilename(), client.getBinlogPosition());
        return polled.compareTo(place) >= 0 || read.compareTo(place) >= 0 && queue.isEmpty();
    }

    /** The server notices the end of a connection only when it has something to send, so it is killed. */
    @Override
    public void close() throws SQLException {
        isClosed = true;
        try (Connection telling = Driver.connectToWatch(endpoint)) {
            client.disconnect();
            Sql.execute(telling, "KILL " + client.getConnectionId());
        } catch (SQLException e) {
            // it was gone already, or will be
        } catch (IOException e) {
            throw new SQLException("the connection to the binary log could not be closed", e);
        }
    }
}
