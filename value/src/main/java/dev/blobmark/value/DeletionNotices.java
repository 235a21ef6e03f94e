package dev.blobmark.value;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Dictionaries that values were read with though they are deleted. Either the proof that no value refers to them was
 * wrong, or a value came from elsewhere. Each is written to its table; this is repeated until it succeeds.
 */
final class DeletionNotices {

    /** How long a program that ends waits for its table. */
    private static final int CLOSE_MILLIS = 5_000;

    private final DictionaryTable table;
    private final Set<Integer> unwritten = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    DeletionNotices(DictionaryTable table) {
        this.table = table;
    }

    /**
     * Does not wait.
     *
     * @return whether {@link #write} is to be called soon
     */
    boolean add(int number) {
        if (!unwritten.add(number)) {
            return false;
        }
        if (isClosed) {
            log(
                    System.Logger.Level.ERROR,
                    number,
                    "do not purge it. Its table was not changed, as the loaded dictionaries were closed before");
            return false;
        }
        return true;
    }

    void write() {
        unwritten.forEach(number -> write(number, OwnTransaction.CONNECT_MILLIS));
    }

    private void write(int number, int limitMillis) {
        try {
            if (table.keep(number, limitMillis)) {
                log(System.Logger.Level.WARNING, number, "it is kept; look for the value with survey --values");
            }
            unwritten.remove(number);
        } catch (RuntimeException e) { // such as of the source; it is tried again at the next look
            if (unwritten.contains(number)) {
                log(
                        System.Logger.Level.ERROR,
                        number,
                        "do not purge it. This could not be written to its table: " + e.getMessage());
            }
        }
    }

    private static void log(System.Logger.Level level, int number, String what) {
        System.getLogger(LoadedDictionaries.class.getName())
                .log(
                        level,
                        "a value was read with dictionary " + ValueDictionary.name(number) + ", which is deleted: "
                                + what);
    }

    /** Writes them now, for some seconds: a program that ends has no other time. Later ones are logged only. */
    void close() {
        isClosed = true;
        long begin = System.nanoTime();
        for (int number : unwritten) {
            long left = CLOSE_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            write(number, (int) Math.max(1, left));
        }
    }
}
