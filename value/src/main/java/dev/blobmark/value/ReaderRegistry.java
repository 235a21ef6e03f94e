package dev.blobmark.value;

import dev.blobmark.value.HeardReaders.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * The table {@code blobmark_readers}, in which the readers of a schema's columns announce what they can read. A writer
 * encodes nothing that one of them cannot read. A reader that was not heard of for five minutes is taken for gone.
 *
 * <p>The table is read by a thread of its own, which begins when a format first tries to write. No value waits for it.
 */
public final class ReaderRegistry implements AutoCloseable {

    /** After this time without an announcement a reader is gone. */
    public static final Duration GONE_AFTER = Duration.ofMinutes(5);

    private static final Duration ANNOUNCE_EVERY = Duration.ofMinutes(1);
    private static final Duration READ_EVERY = Duration.ofSeconds(10);

    /** After this time without an announcement a reader begins again. */
    private static final long SILENT_NANOS = Duration.ofMinutes(4).toNanos();

    /** How long a writer relies on what was read. */
    private static final long RELY_NANOS = Duration.ofSeconds(60).toNanos();

    /** After this time in which a writer's looks have failed, all readers may seem to be gone. */
    private static final long OUTAGE_NANOS = Duration.ofMinutes(3).toNanos();

    /** How often a writer looks whether the table can be written. */
    private static final long PROBE_NANOS = Duration.ofSeconds(60).toNanos();

    /** After an outage, until readers have announced themselves again. */
    private static final long AFTER_OUTAGE_NANOS = Duration.ofSeconds(90).toNanos();

    /** Of readers, in a message. */
    private static final int MOST_NAMES = 5;

    /** More live rows than this are taken for a reader that reads nothing. */
    static final int MOST_READERS = 10_000;

    private final DataSource source;
    private final ReaderTable table;
    private volatile Seen seen =
            new Seen(HeardReaders.NONE, List.of(), new Elapsed(0, 0), false, Optional.empty(), Map.of());
    /** Of the row that shows that the table can be written. */
    private final String id = UUID.randomUUID().toString();

    private volatile Optional<Elapsed> written = Optional.empty();
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
        table = new ReaderTable(schema);
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
            table.create(connection);
            return this;
        });
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
            ReaderTable.requireFits(reader.get());
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
            OwnTransaction.writing(source, connection -> table.sayGone(connection, id));
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
            OwnTransaction.writing(source, connection -> table.announce(connection, id, current));
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

    /** They do not count, so a failure is only logged. */
    private void removeForgotten() {
        try {
            List<String> forgotten = OwnTransaction.reading(source, table::forgotten);
            OwnTransaction.writing(source, connection -> table.removeForgotten(connection, forgotten));
        } catch (SQLException e) {
            log("rows of readers that have ended could not be removed", e);
        }
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
     * @throws IllegalArgumentException if the name has more than 255 characters
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
     * @throws IllegalArgumentException if the version is negative, a codec is not a word of lower-case letters and
     *     digits, or names are too long for the table
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
        return OwnTransaction.reading(source, connection -> readers(table.live(connection)));
    }

    private static List<Reader> readers(List<Row> rows) {
        return rows.stream().map(Row::reader).toList();
    }

    static String inWords(List<String> names) {
        return String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size())))
                + (names.size() > MOST_NAMES ? " and " + (names.size() - MOST_NAMES) + " others" : "");
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
        keepReading(); // also if the answer is no: whoever asks again must know of an outage in between
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
        requireWritable();
        Seen before = seen;
        HeardReaders heard = OwnTransaction.reading(source, connection -> {
            OwnTransaction.requireCurrent(connection);
            List<Row> live = table.live(connection);
            boolean isComplete = live.stream().noneMatch(Row::isOfOthers);
            List<Row> others =
                    isComplete ? table.withIds(connection, before.heard().missing(live)) : List.of();
            return before.heard().next(live, others, since);
        });
        publish(before, heard, since);
    }

    /**
     * Where this writer cannot write the table, readers cannot announce themselves: it is locked, or the disk is full.
     * So the writer writes a row once a minute, which says that it is no reader.
     */
    private void requireWritable() throws SQLException {
        if (written.isEmpty() || written.get().isMoreThanAwake(PROBE_NANOS)) {
            Elapsed now = Elapsed.fromNow();
            OwnTransaction.writing(source, connection -> table.sayGone(connection, id));
            written = Optional.of(now);
        }
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
