package dev.blobmark.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Dictionaries that values were read with though they are deleted. Either the proof that no value refers to them was
 * wrong, or a value came from elsewhere. A thread of its own writes each to its table, and repeats this until it
 * succeeds: neither a request nor a look at the table waits for it.
 */
final class DeletionNotices implements AutoCloseable {

    private static final String THREAD = "blobmark-notices";

    private static final Duration EVERY = Duration.ofMinutes(1);

    /** How long a program that ends waits for its table. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final DictionaryTable table;
    private final Runnable whenWritten;
    private final Set<Integer> unwritten = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Long> purgedAtNanos = new ConcurrentHashMap<>();
    private final Set<Thread> writers = ConcurrentHashMap.newKeySet();
    private final Repeating writing;
    private volatile boolean isClosed;

    /** @param whenWritten is to look at the table again, and does not wait */
    DeletionNotices(DictionaryTable table, Runnable whenWritten) {
        this.table = table;
        this.whenWritten = whenWritten;
        writing = new Repeating(THREAD, EVERY, this::write);
    }

    /** Of one that is deleted. Does not wait. */
    void add(int number) {
        if (!unwritten.add(number)) {
            return;
        }
        if (isClosed) {
            error(number, "do not purge it. Its table was not changed, as the loaded dictionaries were closed before");
        } else {
            writing.soon();
        }
    }

    /** Of one that is loaded and not in the table any more. Logged once a minute at most. */
    void addPurged(int number) {
        long now = System.nanoTime();
        Long before = purgedAtNanos.get(number);
        boolean isDue = before == null || now - before > EVERY.toNanos();
        if (isDue && !unwritten.contains(number)) {
            purgedAtNanos.put(number, now);
            error(number, "it was purged: add it again, from a program that has it or from a copy");
        }
    }

    private void write() {
        writers.add(Thread.currentThread());
        try {
            unwritten.forEach(this::write);
        } finally {
            writers.remove(Thread.currentThread());
        }
    }

    private void write(int number) {
        try {
            if (table.keepBriefly(number)) {
                log(System.Logger.Level.WARNING, number, "it is kept; look for the value with survey --values");
            }
            unwritten.remove(number);
            whenWritten.run();
        } catch (RuntimeException e) { // such as of the source; it is tried again in the next round
            if (unwritten.contains(number)) {
                error(number, "do not purge it. This could not be written to its table: " + e.getMessage());
            }
        }
    }

    private static void error(int number, String what) {
        log(System.Logger.Level.ERROR, number, what);
    }

    private static void log(System.Logger.Level level, int number, String what) {
        System.getLogger(LoadedDictionaries.class.getName())
                .log(
                        level,
                        "a value was read with dictionary " + ValueDictionary.name(number) + ", which is deleted: "
                                + what);
    }

    /**
     * Writes them now, and waits some seconds for that: a program that ends has no other time. Its thread may hold a
     * lock that the source needs. Later ones are logged only.
     */
    @Override
    public void close() {
        isClosed = true;
        try {
            if (!unwritten.isEmpty()) {
                writeLast();
            }
        } finally {
            writing.close();
        }
    }

    /** Next to a round that waits, such as for a connection. It continues if it takes longer. */
    private void writeLast() {
        List<Thread> awaited = new ArrayList<>(writers);
        Thread last = OwnThread.start(THREAD, DeletionNotices.class.getClassLoader(), this::write);
        awaited.add(0, last);
        await(awaited);
        if (last.isAlive()) {
            unwritten.forEach(number -> error(
                    number,
                    "do not purge it. This was not written to its table within "
                            + TimeUnit.NANOSECONDS.toSeconds(CLOSE_NANOS) + " s"));
        }
    }

    /** Also if the thread is interrupted. */
    private static void await(List<Thread> threads) {
        long begin = System.nanoTime();
        boolean isInterrupted = false;
        for (Thread thread : threads) {
            long left = CLOSE_NANOS;
            while (thread.isAlive() && left > 0) {
                try {
                    left = CLOSE_NANOS - (System.nanoTime() - begin);
                    TimeUnit.NANOSECONDS.timedJoin(thread, left);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
