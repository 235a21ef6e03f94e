package dev.blobmark.value;

import dev.blobmark.codec.CodecFamily;
import dev.blobmark.codec.Codecs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The table {@code blobmark_readers}, in which the readers of a schema's columns announce what they can read. A writer
 * encodes nothing that one of them cannot read. A reader that was not heard of for five minutes is taken for gone.
 */
public final class ReaderRegistry {

    /** After this time without an announcement a reader is gone. */
    public static final Duration GONE_AFTER = Duration.ofMinutes(5);

    private static final Duration ANNOUNCE_EVERY = Duration.ofMinutes(1);

    /** How long a writer relies on what it read. */
    private static final long RELY_NANOS = Duration.ofSeconds(10).toNanos();

    private static final String CREATE =
            "CREATE TABLE IF NOT EXISTS %s (id CHAR(36) NOT NULL PRIMARY KEY, name VARCHAR(255) NOT NULL, version INT NOT"
                    + " NULL, codecs VARCHAR(255) NOT NULL, announced TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)"
                    + " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";

    private final DataSource source;
    private final String table;
    private volatile Known known = new Known("", 0, false);

    /** What was read last: whether all readers read a codec. */
    private record Known(String codec, long atNanos, boolean allRead) {}

    /**
     * A reader that announced itself.
     *
     * @param version of the value format that it reads
     * @param codecs that it reads, by the names of their families
     */
    public record Reader(String name, int version, Set<String> codecs) {

        boolean reads(String codec) {
            return version >= FrameHeader.VERSION && codecs.contains(family(codec));
        }
    }

    private ReaderRegistry(DataSource source, String schema) {
        this.source = source;
        table = Identifiers.quoted(schema + ".blobmark_readers");
    }

    /**
     * The registry of a schema. Nothing is read or created.
     *
     * @param source its connections are closed after each call
     */
    public static ReaderRegistry in(DataSource source, String schema) {
        return new ReaderRegistry(source, schema);
    }

    /** Creates the table where it is missing. */
    public ReaderRegistry create() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE.formatted(table));
            return this;
        }
    }

    private static String family(String codec) {
        String name = codec.split("[:+]")[0];
        return name.equals("lz4hc") ? "lz4" : name;
    }

    /** An announcement that is repeated each minute, by a thread of its own, until it is closed. */
    public final class Announcement implements AutoCloseable {

        private final String id = UUID.randomUUID().toString();
        private final Reader reader;
        private final ScheduledExecutorService repeating;

        private Announcement(Reader reader) throws SQLException {
            this.reader = reader;
            announce();
            repeating = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "blobmark-announcement");
                thread.setDaemon(true);
                return thread;
            });
            repeating.scheduleWithFixedDelay(
                    this::repeat, ANNOUNCE_EVERY.toMillis(), ANNOUNCE_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }

        private void repeat() {
            try {
                announce();
            } catch (SQLException e) { // the next one may succeed; if none does, the reader is taken for gone
                System.getLogger(ReaderRegistry.class.getName())
                        .log(System.Logger.Level.WARNING, "this reader could not be announced", e);
            }
        }

        private void announce() throws SQLException {
            try (Connection connection = source.getConnection();
                    PreparedStatement statement = connection.prepareStatement("REPLACE INTO " + table
                            + " (id, name, version, codecs, announced) VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)")) {
                statement.setString(1, id);
                statement.setString(2, reader.name());
                statement.setInt(3, reader.version());
                statement.setString(4, String.join(",", reader.codecs()));
                statement.executeUpdate();
                commit(connection);
            }
        }

        /** The reader says that it is gone. */
        @Override
        public void close() throws SQLException {
            repeating.shutdownNow();
            try (Connection connection = source.getConnection();
                    PreparedStatement statement =
                            connection.prepareStatement("DELETE FROM " + table + " WHERE id = ?")) {
                statement.setString(1, id);
                statement.executeUpdate();
                commit(connection);
            }
        }
    }

    private static void commit(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /**
     * Announces that this program reads what its libraries can decode.
     *
     * @param name for people, such as {@code orders-service 2.3 on app1}
     */
    public Announcement announce(String name) throws SQLException {
        return announce(new Reader(
                name,
                FrameHeader.VERSION,
                Codecs.all().stream()
                        .filter(family -> family.unavailable().isEmpty())
                        .map(CodecFamily::name)
                        .map(ReaderRegistry::family)
                        .collect(Collectors.toCollection(java.util.TreeSet::new))));
    }

    /** Announces another reader, such as a program in another language. */
    public Announcement announce(Reader reader) throws SQLException {
        return new Announcement(reader);
    }

    /** The readers that are not gone. */
    public List<Reader> readers() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name, version, codecs FROM " + table
                        + " WHERE announced > CURRENT_TIMESTAMP - INTERVAL " + GONE_AFTER.toSeconds()
                        + " SECOND ORDER BY name, id")) {
            List<Reader> found = new ArrayList<>();
            while (rows.next()) {
                found.add(new Reader(
                        rows.getString(1),
                        rows.getInt(2),
                        Set.of(rows.getString(3).split(","))));
            }
            return found;
        }
    }

    /** @throws IllegalStateException if a reader cannot read it, or the table cannot be read */
    void requireAllRead(String codec) {
        try {
            List<Reader> cannot =
                    readers().stream().filter(reader -> !reader.reads(codec)).toList();
            known = new Known(codec, System.nanoTime(), cannot.isEmpty());
            if (!cannot.isEmpty()) {
                throw new IllegalStateException("nothing is encoded by " + codec + ", since "
                        + cannot.stream().map(Reader::name).collect(Collectors.joining(", "))
                        + " cannot read it: update first what reads");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "the readers could not be asked, so nothing is encoded: " + e.getMessage(), e);
        }
    }

    /** As it was at most ten seconds ago; false if the table cannot be read. */
    boolean allReadersRead(String codec) {
        Known last = known;
        if (last.codec().equals(codec) && System.nanoTime() - last.atNanos() < RELY_NANOS) {
            return last.allRead();
        }
        synchronized (this) {
            if (known == last) {
                try {
                    requireAllRead(codec);
                } catch (IllegalStateException e) {
                    known = new Known(codec, System.nanoTime(), false);
                }
            }
            return known.allRead();
        }
    }
}
