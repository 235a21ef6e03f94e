package dev.blobmark.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The dictionaries of a {@link DictionaryTable} in memory, so that no request waits for a connection. A thread of its
 * own reads new ones each minute, and within a second after one was looked for in vain. Those that were loaded stay,
 * also when they are deleted or the table cannot be read.
 */
public final class LoadedDictionaries implements Dictionaries, AutoCloseable {

    private static final Duration RELOAD_EVERY = Duration.ofMinutes(1);

    /** After this time without a look at the table it is unknown which dictionaries were withdrawn. */
    private static final long RELY_NANOS = Duration.ofMinutes(10).toNanos();

    /** What a dictionary takes outside of the heap: 16 KB were measured for one of 15 bytes, more for longer ones. */
    private static final long TABLES_BYTES = 32 << 10;

    private static final long BACK_NANOS = Duration.ofSeconds(70).toNanos();

    /** Dictionaries that are read in one transaction. */
    private static final int AT_ONCE = 100;

    private final DictionaryTable table;
    private final long maxBytes;
    private final Map<Integer, ValueDictionary> byNumber = new ConcurrentHashMap<>();
    private final AtomicLong loadedBytes = new AtomicLong();
    private final Map<Integer, Elapsed> back = new HashMap<>();

    private final DeletionNotices notices;

    private volatile Seen seen;
    private final Repeating reloading;

    /**
     * What was read last. Whoever writes the table may choose numbers for which sets of {@link Set#of} would take long.
     *
     * @param usable that may be encoded with: they are in the table as they were stored, and neither withdrawn nor
     *     deleted, which they can be without the former; none if the server may be behind
     * @param missing why others cannot be used by programs that load the table, by number
     * @param damaged those of {@code missing} whose row was changed
     * @param deleted that are kept for a week only
     * @param gone that are loaded, and not in the table any more
     */
    private record Seen(
            Elapsed since,
            Set<Integer> usable,
            Map<Integer, String> missing,
            Set<Integer> damaged,
            Set<Integer> deleted,
            Set<Integer> gone) {}

    LoadedDictionaries(DictionaryTable table, long maxBytes) {
        this.table = table;
        this.maxBytes = maxBytes;
        seen = new Seen(Elapsed.fromNow(), Set.of(), Map.of(), Set.of(), Set.of(), Set.of());
        reload();
        reloading = new Repeating("blobmark-dictionaries", RELOAD_EVERY, this::reload);
        notices = new DeletionNotices(table, reloading::soon);
    }

    /**
     * Reads the table now, such as before new values are read that somebody else has begun to write.
     *
     * @throws DictionaryException if it cannot be read
     */
    @Override
    public void reload() {
        Elapsed since = Elapsed.fromNow();
        Set<Integer> gone = new TreeSet<>(byNumber.keySet());
        DictionaryTable.Rows read = table.rows();
        List<DictionaryTable.Row> rows = read.all();
        Map<Integer, String> missing = new TreeMap<>();
        Set<Integer> damaged = new TreeSet<>();
        Set<Integer> known = numbers();
        // those that are encoded with come first
        load(
                rows.stream()
                        .sorted(Comparator.comparing(DictionaryTable.Row::isWithdrawn)
                                .thenComparing(DictionaryTable.Row::isDeleted))
                        .toList(),
                missing,
                damaged);
        Set<Integer> present = rows.stream()
                .filter(row -> !row.isWithdrawn() && !row.isDeleted())
                .filter(row -> read.isCurrent() && !missing.containsKey(row.number()))
                .map(DictionaryTable.Row::number)
                .collect(Collectors.toSet());
        Set<Integer> usable = withoutThoseBackOnlyNow(present, known, since);
        Set<Integer> deleted = rows.stream()
                .filter(DictionaryTable.Row::isDeleted)
                .map(DictionaryTable.Row::number)
                .collect(Collectors.toCollection(TreeSet::new));
        rows.forEach(row -> gone.remove(row.number()));
        boolean isKnown = read.isComplete() && read.isCurrent();
        publish(new Seen(since, usable, missing, damaged, deleted, isKnown ? gone : Set.of()));
    }

    /**
     * Leaves out those that could not be encoded with, and can again. A writer may rely on readers that it has read
     * before: by {@link ReaderRegistry}, for a minute. Later it has read them again.
     */
    private synchronized Set<Integer> withoutThoseBackOnlyNow(Set<Integer> present, Set<Integer> known, Elapsed now) {
        boolean isOld = seen.since().isMoreThan(RELY_NANOS);
        back.keySet().retainAll(present);
        for (int number : present) {
            if (known.contains(number) && (isOld || !seen.usable().contains(number))) {
                back.putIfAbsent(number, now);
            }
        }
        Set<Integer> again = back.entrySet().stream()
                .filter(entry -> entry.getValue().isMoreThanAwake(BACK_NANOS))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        back.keySet().removeAll(again);
        return present.stream().filter(number -> !back.containsKey(number)).collect(Collectors.toSet());
    }

    private synchronized void publish(Seen now) {
        if (now.since().atNanos() - seen.since().atNanos() < 0) {
            return; // another thread, which began later, was faster
        }
        List<String> reasons = now.missing().entrySet().stream()
                .filter(entry -> !seen.missing().containsKey(entry.getKey()))
                .map(entry -> "dictionary " + ValueDictionary.name(entry.getKey()) + ": " + entry.getValue())
                .toList();
        seen = now;
        if (!reasons.isEmpty()) {
            System.getLogger(LoadedDictionaries.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "{0} dictionaries cannot be loaded, so their values cannot be read: {1}",
                            reasons.size(),
                            String.join("; ", reasons.subList(0, Math.min(3, reasons.size()))));
        }
    }

    /** One that cannot be used does not keep others from being loaded. */
    private void load(List<DictionaryTable.Row> rows, Map<Integer, String> missing, Set<Integer> damaged) {
        List<Integer> wanted = new ArrayList<>();
        long bytes = loadedBytes.get();
        for (DictionaryTable.Row row : rows) {
            if (!row.isUsable()) {
                missing.put(row.number(), "its row was changed");
                damaged.add(row.number());
            } else if (byNumber.containsKey(row.number())) {
                continue;
            } else if (bytes + row.bytes() + TABLES_BYTES > maxBytes) {
                missing.put(row.number(), tooMany());
            } else {
                wanted.add(row.number());
                bytes += row.bytes() + TABLES_BYTES;
            }
        }
        for (int from = 0; from < wanted.size(); from += AT_ONCE) {
            List<Integer> batch = wanted.subList(from, Math.min(from + AT_ONCE, wanted.size()));
            try {
                find(batch, missing, damaged);
            } catch (RuntimeException e) { // it may be about one of them, such as one that is too long for a packet
                batch.forEach(number -> findOne(number, missing, damaged));
            }
        }
    }

    private void findOne(int number, Map<Integer, String> missing, Set<Integer> damaged) {
        try {
            find(List.of(number), missing, damaged);
        } catch (RuntimeException e) {
            missing.put(number, e.getMessage());
        }
    }

    private void find(List<Integer> numbers, Map<Integer, String> missing, Set<Integer> damaged) {
        table.find(numbers, found -> put(found, missing), (number, reason) -> {
            missing.put(number, reason.getMessage());
            // else the library of zstd is missing, which other values need not
            if (!(reason instanceof UnsupportedOperationException)) {
                damaged.add(number);
            }
        });
    }

    /** Its row may be longer now than when all lengths were read. */
    private void put(ValueDictionary found, Map<Integer, String> missing) {
        long bytes = found.length() + TABLES_BYTES;
        if (loadedBytes.addAndGet(bytes) > maxBytes) {
            loadedBytes.addAndGet(-bytes);
            missing.put(found.number(), tooMany());
        } else if (byNumber.putIfAbsent(found.number(), found) != null) {
            loadedBytes.addAndGet(-bytes);
        }
    }

    private String tooMany() {
        return "all of them take more than the " + maxBytes
                + " bytes that may be loaded: raise the limit or the heap, or"
                + " delete those that no value refers to";
    }

    /** From memory. If there is none, the table is read soon. */
    @Override
    public Optional<ValueDictionary> find(int number) {
        Optional<ValueDictionary> found = Optional.ofNullable(byNumber.get(number));
        if (found.isEmpty()) {
            reloading.soon();
        }
        return found;
    }

    @Override
    public void onUse(int number) {
        Seen last = seen;
        if (!last.deleted().isEmpty() && last.deleted().contains(number)) {
            notices.add(number);
        } else if (!last.gone().isEmpty() && last.gone().contains(number)) {
            notices.addPurged(number);
        }
    }

    @Override
    public Set<Integer> numbers() {
        return Collections.unmodifiableSet(new HashSet<>(byNumber.keySet()));
    }

    /** Numbers of rows that are damaged; their values cannot be read. */
    public Set<Integer> unusable() {
        return Collections.unmodifiableSet(seen.damaged());
    }

    /**
     * Also true for one that was deleted, and for all when the table could not be read for ten minutes, or only on a
     * server that is read-only.
     */
    @Override
    public boolean isWithdrawn(int number) {
        Seen last = seen;
        return !last.usable().contains(number) || last.since().isMoreThan(RELY_NANOS);
    }

    /**
     * Ends the threads. What was loaded stays readable; ten minutes later nothing is encoded with it any more. If
     * values were read with deleted dictionaries, this is written before. That is waited for some seconds at most; then
     * there is an error in the log. Close them after the last value is read: of later ones there is only such an error.
     */
    @Override
    public void close() {
        try {
            notices.close();
        } finally {
            reloading.close();
        }
    }
}
