package dev.blobmark.value;

import dev.blobmark.value.HeardReaders.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The table {@code blobmark_readers}, in which the readers of a schema's columns announce what they can read. A writer
 * encodes nothing that one of them cannot read. A reader that was not heard of for five minutes is taken for gone.
 *
 * <p>The table is read by a thread of its own, which begins when a format starts to write. No value waits for it.
 */
public final class ReaderRegistry implements AutoCloseable {

    /** After this time without an announcement a reader is gone. */
    public static final Duration GONE_AFTER = Duration.ofMinutes(5);

    private static final Duration ANNOUNCE_EVERY = Duration.ofMinutes(1);
    private static final Duration READ_EVERY = Duration.ofSeconds(10);

    /** After this time without an announcement a reader's row is removed by others. */
    private static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

    private static final int MOST_REMOVED = 1_000;

    /** Rows that one statement asks for. */
    private static final int MOST_IDS = 1_000;

    /** After this time without an announcement a reader begins anew. */
    private static final long SILENT_NANOS = Duration.ofMinutes(4).toNanos();

    /** How long a writer relies on what was read. */
    private static final long RELY_NANOS = Duration.ofSeconds(60).toNanos();

    /** After this time in which a writer's looks have failed, all readers may seem to be gone. */
    private static final long OUTAGE_NANOS = Duration.ofMinutes(3).toNanos();

    /** After an outage, until readers have announced themselves again. */
    private static final long AFTER_OUTAGE_NANOS = Duration.ofSeconds(90).toNanos();

    /** Of readers, in a message. */
    private static final int MOST_NAMES = 5;

    /** More live rows than this are taken for a reader that reads nothing. */
    static final int MOST_READERS = 10_000;

    /** Lists of all readers with more characters than this are too many to be read again and again. */
    private static final long MOST_LENGTH = 4 << 20;

    // by seconds since 1970: a comparison of local times would be wrong for an hour when summer time ends
    private static final String IS_LIVE = " WHERE version <> " + Row.GONE
            + " AND UNIX_TIMESTAMP(announced) > UNIX_TIMESTAMP() - " + GONE_AFTER.toSeconds();

    private static final String CREATE =
            "CREATE TABLE IF NOT EXISTS %s (id CHAR(36) NOT NULL PRIMARY KEY, name VARCHAR(255) NOT NULL, version INT NOT"
                    + " NULL, codecs VARCHAR(255) NOT NULL, dictionaries TEXT,"
                    + " announced TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)"
                    + " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";

    /** Characters of the columns, as {@link #CREATE} has them. */
    private static final int MOST_CODECS = 255;

    private static final int MOST_DICTIONARIES = 65_535;

    private static final Pattern CODEC = Pattern.compile("[a-z0-9]+");
    private static final Pattern DICTIONARY = Pattern.compile("[0-9a-f]{6}");

    private final DataSource source;
    private final String table;
    private volatile Seen seen =
            new Seen(HeardReaders.NONE, List.of(), new Elapsed(0, 0), false, Optional.empty(), Map.of());
    private volatile Set<String> logged = Set.of();
    private Optional<Repeating> reading = Optional.empty();
    private boolean isClosed;

    /**
     * What was read last.
     *
     * @param heard the readers, with the time since which their rows have not changed
     * @param afterOutage the first look after a time in which none succeeded, if it was not long ago
     * @param answers whether all readers read what a format writes, so that each is asked once
     */
    private record Seen(
            HeardReaders heard,
            List<Reader> readers,
            Elapsed since,
            boolean isComplete,
            Optional<Elapsed> afterOutage,
            Map<Written, Boolean> answers) {

        static Seen of(HeardReaders heard, Elapsed since, Optional<Elapsed> afterOutage) {
            return new Seen(heard, heard.readers(), since, true, afterOutage, new ConcurrentHashMap<>());
        }

        boolean isRecent() {
            return isComplete && !since.isMoreThan(RELY_NANOS) && !mayReadersBeSilent();
        }

        boolean mayReadersBeSilent() {
            return afterOutage.isPresent();
        }

        boolean allRead(Written written) {
            Boolean known = answers.get(written);
            return known != null ? known : answers.computeIfAbsent(written, this::ask);
        }

        private boolean ask(Written written) {
            return readers.stream().allMatch(reader -> reader.reads(written));
        }
    }

    /**
     * A reader that announced itself.
     *
     * @param version of the value format that it reads
     * @param codecs that it reads, by the names of their families; {@code stored} for values in frames that are not
     *     encoded, {@code mysql} for those of {@code COMPRESS()}
     * @param dictionaries that it has, by their numbers
     */
    public record Reader(String name, int version, Set<String> codecs, Set<Integer> dictionaries) {

        /** A reader without dictionaries. */
        public Reader(String name, int version, Set<String> codecs) {
            this(name, version, codecs, Set.of());
        }

        private boolean reads(Written written) {
            return version >= FrameHeader.VERSION
                    && codecs.containsAll(written.codecs())
                    && dictionaries.containsAll(written.dictionaries());
        }
    }

    /** What a reader has to read. */
    record Written(String name, Set<String> codecs, Set<Integer> dictionaries) {}

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

    /** Creates the table where it is missing, and adds the column of dictionaries where an older table has none. */
    public ReaderRegistry create() throws SQLException {
        return OwnTransaction.writing(source, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(CREATE.formatted(table));
                if (!hasDictionaries(connection)) {
                    statement.execute("ALTER TABLE " + table + " ADD COLUMN dictionaries TEXT");
                }
                return this;
            }
        });
    }

    private boolean hasDictionaries(Connection connection) throws SQLException {
        return ColumnCheck.exists(connection, table, "dictionaries");
    }

    /** An announcement that is repeated each minute, by a thread of its own, until it is closed. */
    public final class Announcement implements AutoCloseable {

        private final String id = UUID.randomUUID().toString();
        private final Supplier<Reader> reader;
        private final Runnable reload;
        private final Repeating repeating;

        /** When the last one that succeeded was sent. */
        private volatile Elapsed sent = Elapsed.fromNow();

        private volatile boolean isClosed;

        /** @param reload looks for dictionaries that were added before writers saw this reader */
        private Announcement(Supplier<Reader> reader, Runnable reload) throws SQLException {
            this.reader = reader;
            this.reload = reload;
            try {
                begin();
            } catch (SQLException | RuntimeException | Error e) {
                leave(e); // nobody can close it
                throw e;
            }
            removeForgotten();
            repeating = new Repeating("blobmark-announcement", ANNOUNCE_EVERY, this::repeat);
        }

        private void leave(Throwable reason) {
            try {
                sayGone();
            } catch (SQLException | RuntimeException e) { // it counts for five minutes
                reason.addSuppressed(e);
            }
        }

        /**
         * Leaves a row that says so, and is removed after half a day: a row that is missing may have been lost in a
         * failover. To readers of the table that do not know such rows, it is one that was not heard of for hours.
         */
        private void sayGone() throws SQLException {
            OwnTransaction.writing(source, connection -> {
                try (PreparedStatement statement = connection.prepareStatement("REPLACE INTO " + table
                        + " (id, name, version, codecs, announced) VALUES (?, SPACE(0), " + Row.GONE
                        + ", SPACE(0), FROM_UNIXTIME(UNIX_TIMESTAMP() - " + FORGOTTEN_AFTER.toSeconds() / 2 + "))")) {
                    statement.setString(1, id);
                    return statement.executeUpdate();
                }
            });
        }

        /** In this order: what is added after the first announcement is only used by writers that have seen it. */
        private void begin() throws SQLException {
            announce();
            reload.run();
            announce();
        }

        private void repeat() {
            try {
                renew();
            } catch (SQLException | DictionaryException e) { // the next may succeed; if none does, the reader is gone
                log("this reader could not be announced", e);
            }
        }

        /** The time is the server's, by the column's default: the session's time zone has no effect on it. */
        private void announce() throws SQLException {
            Reader current = reader.get();
            Elapsed now = Elapsed.fromNow();
            OwnTransaction.writing(source, connection -> {
                try (PreparedStatement statement = connection.prepareStatement("REPLACE INTO " + table
                        + " (id, name, version, codecs, dictionaries) VALUES (?, ?, ?, ?, ?)")) {
                    statement.setString(1, id);
                    statement.setString(2, current.name());
                    statement.setInt(3, current.version());
                    statement.setString(4, String.join(",", new TreeSet<>(current.codecs())));
                    statement.setString(5, names(current.dictionaries()));
                    return statement.executeUpdate();
                }
            });
            if (isClosed) {
                sayGone(); // this announcement began before it was closed
            }
            sent = now;
        }

        /** Announces at once what can be read now, such as a dictionary that was loaded a moment ago. */
        public void renew() throws SQLException {
            if (sent.isMoreThan(SILENT_NANOS)) {
                begin(); // writers may not have counted this reader
            } else {
                announce();
            }
        }

        /** The reader says that it is gone. */
        @Override
        public void close() throws SQLException {
            isClosed = true;
            repeating.close();
            sayGone();
        }
    }

    /**
     * Removes rows of readers that have ended: half a day later if they said so, and else a day later. They do not
     * count, so a failure is only logged.
     */
    private void removeForgotten() {
        String areForgotten = "UNIX_TIMESTAMP(announced) < UNIX_TIMESTAMP() - " + FORGOTTEN_AFTER.toSeconds();
        try {
            List<String> forgotten = OwnTransaction.reading(source, connection -> {
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery("SELECT id FROM " + table + " WHERE " + areForgotten
                                + " ORDER BY id LIMIT " + MOST_REMOVED)) {
                    List<String> ids = new ArrayList<>();
                    while (rows.next()) {
                        ids.add(rows.getString(1));
                    }
                    return ids;
                }
            });
            remove(forgotten, " AND " + areForgotten); // one that was suspended may have announced itself again
        } catch (SQLException e) {
            log("rows of readers that have ended could not be removed", e);
        }
    }

    /** By their keys, so that no other row is locked. */
    private void remove(List<String> ids, String condition) throws SQLException {
        OwnTransaction.writing(source, connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("DELETE FROM " + table + " WHERE id = ?" + condition)) {
                for (String id : ids) {
                    statement.setString(1, id);
                    statement.executeUpdate();
                }
                return ids;
            }
        });
    }

    /** As many as the column takes: with the others, nothing is encoded as long as this reader counts. */
    private static String names(Set<Integer> dictionaries) {
        return dictionaries.stream()
                .sorted()
                .limit((MOST_DICTIONARIES + 1) / "abcdef,".length())
                .map(ValueDictionary::name)
                .collect(Collectors.joining(","));
    }

    private static void log(String what, Throwable cause) {
        System.getLogger(ReaderRegistry.class.getName()).log(System.Logger.Level.WARNING, what, cause);
    }

    /**
     * Announces what a format reads: the codecs whose libraries are there, and the dictionaries that it has at the time
     * of each announcement. Call it before the first value is decoded. It also loads dictionaries that were added since
     * the format was built.
     *
     * @param name for people, such as {@code orders-service 2.3 on app1}
     * @throws SQLException if the table cannot be written, such as an older one: see {@link #create}
     * @throws DictionaryException if dictionaries cannot be read
     */
    public Announcement announce(String name, ValueFormat format) throws SQLException {
        return new Announcement(
                () -> new Reader(name, FrameHeader.VERSION, format.readableCodecs(), format.readableDictionaries()),
                format::reloadDictionaries);
    }

    /**
     * Announces another reader, such as a program in another language.
     *
     * @throws SQLException as {@link #announce(String, ValueFormat)}
     */
    public Announcement announce(Reader reader) throws SQLException {
        return new Announcement(() -> reader, () -> {});
    }

    /**
     * The readers that are not gone, by the server's clock. A row that cannot be understood is a reader that reads
     * nothing, and so are more than 10,000 rows.
     *
     * @throws SQLException if the table cannot be read
     */
    public List<Reader> readers() throws SQLException {
        return OwnTransaction.reading(source, connection -> readers(live(connection)));
    }

    private static List<Reader> readers(List<Row> rows) {
        return rows.stream().map(Row::reader).toList();
    }

    private List<Row> live(Connection connection) throws SQLException {
        String select = select(connection);
        Set<String> problems = new TreeSet<>();
        if (length(connection, IS_LIVE, List.of()) > MOST_LENGTH) {
            String others = "rows with more than " + MOST_LENGTH + " characters";
            problems.add(others);
            log(problems);
            return List.of(Row.ofOthers(others));
        }
        try (PreparedStatement statement =
                connection.prepareStatement(select + IS_LIVE + " ORDER BY name, id LIMIT " + (MOST_READERS + 1))) {
            List<Row> found = rows(statement, problems);
            if (found.size() > MOST_READERS) {
                String others = "more than " + MOST_READERS + " rows";
                problems.add(others);
                found.set(MOST_READERS, Row.ofOthers(others));
            }
            log(problems);
            return found;
        }
    }

    /** Characters of all lists. */
    private long length(Connection connection, String where, List<String> ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT SUM(LENGTH(codecs)), SUM(LENGTH("
                + (hasDictionaries(connection) ? "dictionaries" : "''") + ")) FROM " + table + where + " LIMIT 1")) {
            setAll(statement, ids);
            try (ResultSet sum = statement.executeQuery()) {
                sum.next();
                return sum.getLong(1) + sum.getLong(2);
            }
        }
    }

    /** Rows with these ids. Where the lists are too long, the rest is not read: for the caller, as if not found. */
    private List<Row> withIds(Connection connection, Set<String> ids) throws SQLException {
        List<Row> found = new ArrayList<>();
        List<String> all = List.copyOf(ids);
        long length = 0;
        for (int from = 0; from < all.size(); from += MOST_IDS) {
            List<String> batch = all.subList(from, Math.min(from + MOST_IDS, all.size()));
            String where = " WHERE id IN (" + String.join(", ", Collections.nCopies(batch.size(), "?")) + ")";
            length += length(connection, where, batch);
            if (length > MOST_LENGTH) {
                break;
            }
            try (PreparedStatement statement = OwnTransaction.complete(connection, select(connection) + where)) {
                setAll(statement, batch);
                found.addAll(rows(statement, new TreeSet<>()));
            }
        }
        return found;
    }

    private static void setAll(PreparedStatement statement, List<String> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            statement.setString(i + 1, values.get(i));
        }
    }

    private String select(Connection connection) throws SQLException {
        return "SELECT id, UNIX_TIMESTAMP(announced) AS seconds, LEFT(name, 255) AS name, version, LEFT(codecs, "
                + (MOST_CODECS + 1) + ") AS codecs, "
                + (hasDictionaries(connection) ? "LEFT(dictionaries, " + (MOST_DICTIONARIES + 1) + ")" : "''")
                + " AS dictionaries FROM " + table;
    }

    private static List<Row> rows(PreparedStatement statement, Set<String> problems) throws SQLException {
        statement.setMaxRows(0);
        try (ResultSet rows = statement.executeQuery()) {
            List<Row> found = new ArrayList<>();
            while (rows.next()) {
                found.add(new Row(rows.getString("id"), rows.getLong("seconds"), reader(rows, problems)));
            }
            return found;
        }
    }

    private static Reader reader(ResultSet row, Set<String> problems) throws SQLException {
        String name = String.valueOf(row.getString("name")).replaceAll("\\p{Cntrl}", "?");
        try {
            Set<String> codecs = words(row.getString("codecs"), MOST_CODECS, CODEC);
            String numbers = row.getString("dictionaries");
            Set<Integer> dictionaries = words(numbers == null ? "" : numbers, MOST_DICTIONARIES, DICTIONARY).stream()
                    .map(number -> Integer.parseInt(number, 16))
                    .collect(Collectors.toUnmodifiableSet());
            return new Reader(name, row.getInt("version"), codecs, dictionaries);
        } catch (IllegalArgumentException | SQLException e) { // the latter for a version that is not a number
            problems.add(name);
            return new Reader(name, 0, Set.of(), Set.of());
        }
    }

    /** Those that were not there at the last time. */
    private void log(Set<String> problems) {
        Set<String> before = logged;
        logged = problems;
        List<String> others =
                problems.stream().filter(name -> !before.contains(name)).toList();
        if (!others.isEmpty()) {
            System.getLogger(ReaderRegistry.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "rows of blobmark_readers are not understood, so nothing is encoded: {0}",
                            inWords(others));
        }
    }

    private static String inWords(List<String> names) {
        return String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size())))
                + (names.size() > MOST_NAMES ? " and " + (names.size() - MOST_NAMES) + " others" : "");
    }

    private static Set<String> words(String text, int longest, Pattern form) {
        if (text == null || text.length() > longest) { // a part of a longer one may end within a word
            throw new IllegalArgumentException("not a list of " + longest + " characters or less");
        }
        if (text.isEmpty()) {
            return Set.of();
        }
        String[] words = text.split(",", -1);
        for (String word : words) {
            if (!form.matcher(word).matches()) {
                throw new IllegalArgumentException("'" + word + "' is not a word of the list");
            }
        }
        return Set.of(words); // throws if one is there twice
    }

    /**
     * Reads the table now.
     *
     * @throws IllegalStateException if a reader cannot read it, or the table cannot be read
     */
    void requireAllRead(Written written) {
        requireOpen();
        try {
            read();
        } catch (SQLException | RuntimeException e) { // pools throw the latter when they cannot begin
            throw new IllegalStateException(
                    "the readers could not be asked, so nothing is encoded: " + e.getMessage(), e);
        }
        if (seen.mayReadersBeSilent()) {
            throw new IllegalStateException(
                    "the readers could not be asked for minutes, so nothing is encoded until they" + " have had "
                            + AFTER_OUTAGE_NANOS / 1_000_000_000 + " s to announce themselves again");
        }
        List<String> cannot = seen.readers().stream()
                .filter(reader -> !reader.reads(written))
                .map(Reader::name)
                .toList();
        if (!cannot.isEmpty()) {
            throw new IllegalStateException("nothing is encoded by " + written.name() + ", since " + inWords(cannot)
                    + " cannot read it: update first what reads");
        }
    }

    private void read() throws SQLException {
        read(Elapsed.fromNow());
    }

    /** @param since now */
    void read(Elapsed since) throws SQLException {
        Seen before = seen;
        HeardReaders heard = OwnTransaction.reading(source, connection -> {
            OwnTransaction.requireCurrent(connection);
            List<Row> live = live(connection);
            boolean isComplete = live.stream().noneMatch(Row::isOfOthers);
            List<Row> others = isComplete ? withIds(connection, before.heard().missing(live)) : List.of();
            return before.heard().next(live, others, since);
        });
        publish(before, heard, since);
    }

    private synchronized void publish(Seen before, HeardReaders heard, Elapsed since) {
        if (seen.isComplete() && since.atNanos() - seen.since().atNanos() < 0) {
            return; // another thread, which began later, was faster
        }
        HeardReaders all = seen == before ? heard : heard.with(seen.heard(), since);
        boolean isAfterOutage =
                reading.isPresent() && seen.isComplete() && seen.since().isMoreThan(OUTAGE_NANOS);
        Optional<Elapsed> afterOutage = isAfterOutage
                ? Optional.of(since)
                : seen.afterOutage().filter(first -> !first.isMoreThanAwake(AFTER_OUTAGE_NANOS));
        seen = Seen.of(all, since, afterOutage);
    }

    /**
     * Reads the table from now on, again and again.
     *
     * @throws IllegalStateException if it is closed
     */
    synchronized void keepReading() {
        requireOpen();
        if (reading.isEmpty()) {
            reading = Optional.of(new Repeating("blobmark-readers", READ_EVERY, () -> {
                try {
                    read();
                } catch (SQLException e) { // after a minute, nothing is encoded
                    log("the readers could not be asked", e);
                }
            }));
        }
    }

    private synchronized void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the registry of readers is closed");
        }
    }

    /** As it was at most a minute ago; false if the table could not be read since. Does not wait. */
    boolean allReadersRead(Written written) {
        Seen last = seen;
        return last.isRecent() && last.allRead(written);
    }

    /** Ends the thread. Formats with this registry encode nothing from a minute later on, and cannot start again. */
    @Override
    public synchronized void close() {
        isClosed = true;
        reading.ifPresent(Repeating::close);
        reading = Optional.empty();
    }
}
