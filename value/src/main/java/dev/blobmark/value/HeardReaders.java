package dev.blobmark.value;

import dev.blobmark.value.ReaderRegistry.Reader;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Readers that a writer has seen, and when their rows changed, by the writer's own clock. A reader counts for
 * {@link ReaderRegistry#GONE_AFTER} by the server's clock and by this one: the former can be set forward, and after a
 * failover the rows can be those of a replica that was behind.
 */
final class HeardReaders {

    /** A full table, and one whose rows have all been replaced. */
    private static final int MOST = 2 * ReaderRegistry.MOST_READERS;

    /** Twice as many as all lists of the table may have. */
    private static final int MOST_DICTIONARIES = 2 * 600_000;

    /** Stands for those that were seen and are not remembered. */
    private static final Row OTHERS =
            Row.ofOthers("more than " + MOST + " readers or their dictionaries in five minutes");

    static final HeardReaders NONE = new HeardReaders(Map.of());

    private final Map<String, Heard> byId;

    private record Heard(Row row, Elapsed since) {

        boolean counts() {
            return !since.isMoreThanAwake(ReaderRegistry.GONE_AFTER.toNanos());
        }
    }

    /**
     * A row of the table.
     *
     * @param announced in seconds since 1970, by the server's clock
     * @param isOfOthers whether it stands for others that were not read
     */
    record Row(String id, long announced, Reader reader, boolean isOfOthers) {

        /** The version of a reader that has said that it is gone. */
        static final int GONE = -1;

        Row(String id, long announced, Reader reader) {
            this(id, announced, reader, false);
        }

        static Row ofOthers(String what) {
            return new Row(what, 0, new Reader(what, 0, Set.of()), true);
        }

        boolean isGone() {
            return reader.version() == GONE;
        }
    }

    private HeardReaders(Map<String, Heard> byId) {
        this.byId = byId;
    }

    /**
     * Remembers {@link #MOST} with {@link #MOST_DICTIONARIES} in all; the others are, for as long, a reader that reads
     * nothing: whoever may write the table cannot fill the heap.
     */
    private static HeardReaders bounded(Map<String, Heard> byId, Elapsed now) {
        Map<String, Heard> bounded = new HashMap<>();
        long dictionaries = 0;
        for (Map.Entry<String, Heard> each : byId.entrySet()) {
            int more = each.getValue().row().reader().dictionaries().size();
            if (bounded.size() < MOST && dictionaries + more <= MOST_DICTIONARIES) {
                bounded.put(each.getKey(), each.getValue());
                dictionaries += more;
            }
        }
        if (bounded.size() < byId.size()) {
            bounded.put(OTHERS.id(), new Heard(OTHERS, now));
        }
        return new HeardReaders(bounded);
    }

    /** With those of another look at the table at the same time, which may be gone since. */
    HeardReaders with(HeardReaders other, Elapsed now) {
        Map<String, Heard> both = new HashMap<>(other.byId);
        both.putAll(byId);
        return bounded(both, now);
    }

    /** Those that still count here, and are not among these rows. */
    Set<String> missing(List<Row> live) {
        Set<String> seen = live.stream().map(Row::id).collect(Collectors.toSet());
        return byId.entrySet().stream()
                .filter(entry -> !entry.getValue().row().isOfOthers()
                        && entry.getValue().counts()
                        && !seen.contains(entry.getKey()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /**
     * What is known after another look at the table.
     *
     * @param live rows that count by the server's clock
     * @param others rows of {@link #missing} that are in the table. One that is not there was not removed by its
     *     reader, which leaves a row that says so.
     */
    HeardReaders next(List<Row> live, List<Row> others, Elapsed now) {
        Map<String, Heard> next = new HashMap<>();
        for (String id : missing(live)) {
            next.put(id, byId.get(id));
        }
        byId.forEach((id, heard) -> {
            if (heard.row().isOfOthers() && heard.counts()) {
                next.put(id, heard);
            }
        });
        for (Row row : others) {
            Heard heard = heard(row, now);
            if (row.isGone() || !heard.counts()) {
                next.remove(row.id());
            } else {
                next.put(row.id(), heard);
            }
        }
        live.forEach(row -> next.put(row.id(), heard(row, now)));
        return bounded(next, now);
    }

    private Heard heard(Row row, Elapsed now) {
        Heard before = byId.get(row.id());
        return new Heard(row, before != null && before.row().announced() == row.announced() ? before.since() : now);
    }

    /** By name. */
    List<Reader> readers() {
        return byId.values().stream()
                .map(heard -> heard.row().reader())
                .sorted(Comparator.comparing(Reader::name))
                .toList();
    }
}
