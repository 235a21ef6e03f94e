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

    static final HeardReaders NONE = new HeardReaders(Map.of());

    private final Map<String, Heard> byId;

    private record Heard(Row row, Elapsed since) {

        boolean counts() {
            return !since.isMoreThan(ReaderRegistry.GONE_AFTER.toNanos());
        }
    }

    /**
     * A row of the table.
     *
     * @param announced in seconds since 1970, by the server's clock
     */
    record Row(String id, long announced, Reader reader) {

        /** The version of a reader that has said that it is gone. */
        static final int GONE = -1;

        /** Stands for others that were not read. */
        static Row ofOthers(String what) {
            return new Row("", 0, new Reader(what, 0, Set.of()));
        }

        boolean isOfOthers() {
            return id.isEmpty();
        }

        boolean isGone() {
            return reader.version() == GONE;
        }
    }

    private HeardReaders(Map<String, Heard> byId) {
        this.byId = byId;
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
        for (Row row : others) {
            Heard heard = heard(row, now);
            if (row.isGone() || !heard.counts()) {
                next.remove(row.id());
            } else {
                next.put(row.id(), heard);
            }
        }
        live.forEach(row -> next.put(row.id(), heard(row, now)));
        return new HeardReaders(next);
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
