package dev.blobmark.reencode.change;

import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.reencode.binlog.IncompleteLogException;
import dev.blobmark.reencode.binlog.KeyReader;
import dev.blobmark.reencode.binlog.LogEvents;
import dev.blobmark.reencode.binlog.LogPosition;
import dev.blobmark.reencode.binlog.LogStream;
import dev.blobmark.reencode.binlog.TableChanges;
import dev.blobmark.reencode.binlog.TableName;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Reads changes from the binary log, with row images of any kind that have the key. A thread of its own reads; it waits
 * when too much was read ahead. Whatever ends it, also an error that is not foreseen, ends {@link #poll} and
 * {@link #hasReached}: after that, nothing is reached.
 */
public final class LogFeed implements ChangeFeed {

    private static final int READ_AHEAD = 10_000;
    private static final long OFFER_SECONDS = 1;

    private final LogEvents stream;
    private final TableChanges changes;
    private final LogPlace begin;
    private final BlockingQueue<Item> queue = new ArrayBlockingQueue<>(READ_AHEAD);
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile boolean isClosed;

    /** When the file of {@link #read} was begun. */
    private volatile long readCreatedSeconds;

    /** All events before it were put into the queue. */
    private volatile LogPosition read;

    /** All that was committed up to here was polled. */
    private LogPlace polled;

    /** A changed key, or the end of a transaction. */
    private record Item(Optional<List<Object>> key, Optional<LogPlace> end) {}

    /**
     * Connects to the server.
     *
     * @param from where to begin
     * @param own a statement of Blobmark's own on the table, which is left out
     * @throws IncompleteLogException if the server does not have the log from there on
     */
    public static LogFeed open(Endpoint endpoint, TableName table, KeyReader key, LogPlace from, Optional<String> own)
            throws SQLException {
        try (Connection asking = JdbcDriver.connectToWatch(endpoint)) {
            from.requireServer(asking);
        }
        return new LogFeed(
                new LogStream(endpoint, LogPosition.parse(from.position())), table, key, from, own, LogFeed::start);
    }

    private static void start(Runnable reading) {
        Thread reader = new Thread(reading, "reencode-log");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * @param stream from the place on
     * @param reading begins the thread that reads
     */
    public LogFeed(
            LogEvents stream, TableName table, KeyReader key, LogPlace from, Optional<String> own, Executor reading) {
        this.stream = stream;
        begin = from;
        LogPosition position = LogPosition.parse(from.position());
        polled = from;
        read = position;
        changes = new TableChanges(table, key, position, own, new TableChanges.Listener() {
            @Override
            public void changed(List<Object> changed) throws InterruptedException {
                put(new Item(Optional.of(changed), Optional.empty()));
            }

            @Override
            public void ended(LogPosition place, long fileCreatedSeconds) throws InterruptedException {
                put(new Item(
                        Optional.empty(),
                        Optional.of(new LogPlace(place.toString(), from.server(), fileCreatedSeconds))));
            }
        });
        reading.execute(this::readAll);
    }

    private void readAll() {
        try {
            boolean isChecked = false;
            while (!isClosed) {
                changes.read(stream.next());
                if (!isChecked && changes.fileCreatedSeconds().isPresent()) {
                    begin.requireFile(changes.fileCreatedSeconds().get());
                    isChecked = true;
                }
                if (!changes.position().isBegin()) { // otherwise the time would be that of the file before
                    readCreatedSeconds = changes.fileCreatedSeconds().orElse(0L);
                    read = changes.position();
                }
            }
        } catch (Exception | Error e) {
            failure = Optional.of(e);
        }
    }

    private void put(Item item) throws InterruptedException {
        while (!queue.offer(item, OFFER_SECONDS, TimeUnit.SECONDS)) {
            if (isClosed) {
                throw new InterruptedException();
            }
        }
    }

    /**
     * What was read before the failure is dealt with first.
     *
     * @throws IncompleteLogException if it cannot continue from here, or the failure is not one of the connection
     */
    private void check() throws SQLException {
        Optional<Throwable> failed = failure;
        if (failed.isEmpty() || !queue.isEmpty()) {
            return;
        }
        if (failed.get() instanceof IOException e) {
            throw new SQLException("the binary log cannot be read: " + e.getMessage(), "08S01", e);
        }
        throw failed.get() instanceof IncompleteLogException e
                ? e
                : new IncompleteLogException("the reader of the binary log failed: " + failed.get(), failed.get());
    }

    @Override
    public List<List<Object>> poll(FeedSession writing, int most) throws SQLException {
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
    public Optional<LogPlace> position() {
        return Optional.of(polled);
    }

    /** The log does not become shorter, unless it is reset. */
    @Override
    public String end(FeedSession asking) throws SQLException {
        LogPosition before = read;
        LogPosition end = asking.logEnd();
        if (end.compareTo(before) < 0) {
            throw new IncompleteLogException("the log was reset: it ends at " + end + ", and was read up to " + before);
        }
        return end.toString();
    }

    /** A log that was reset has files of the same names, and the server may still send the former ones. */
    @Override
    public void requireCurrent(FeedSession asking) throws SQLException {
        LogPosition before = read; // the reader continues meanwhile
        long createdSeconds = readCreatedSeconds;
        LogPlace now = asking.logNow();
        LogPosition end = LogPosition.parse(now.position());
        boolean isOther = end.compareTo(before) < 0
                || end.file().equals(before.file()) && now.fileCreatedSeconds() != createdSeconds;
        if (isOther || !now.server().equals(begin.server())) {
            throw new IncompleteLogException("the log was reset: it is not the one that was read up to " + before);
        }
    }

    /** An event is in the queue before the place is raised. */
    @Override
    public boolean hasReached(String end) throws SQLException {
        check();
        LogPosition place = LogPosition.parse(end);
        LogPosition before = read;
        // the log may end with events that are of no transaction, such as a rotation
        return LogPosition.parse(polled.position()).compareTo(place) >= 0
                || before.compareTo(place) >= 0 && queue.isEmpty();
    }

    @Override
    public void close() throws SQLException {
        isClosed = true;
        stream.close();
    }
}
