package dev.blobmark.reencode.world;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Knows which changes were committed, and nothing else: neither the log, nor the new table, nor what Blobmark believes.
 * It judges the table that has the application's name.
 */
final class Auditor {

    /**
     * What a statement does to a row.
     *
     * @param from key before; null for an INSERT
     * @param to key after; null for a DELETE
     * @param change of the row as the application sees it
     */
    record Change(Integer from, Integer to, UnaryOperator<Content> change) {}

    /** A promise that was broken. */
    static final class BrokenPromiseException extends RuntimeException {
        BrokenPromiseException(String promise, String how) {
            super(promise + ": " + how);
        }
    }

    static final String COMMITTED = "each committed change is in the table that has the name";
    static final String FOREIGN = "nothing of others is touched";
    static final String ENDING = "each ending is one of those that are documented";

    private final World world;
    private final TreeMap<Integer, Content> expected = new TreeMap<>();

    /** Rows that were changed without a log since the comparison; only the witness finds them. */
    private final TreeMap<Integer, Boolean> unseen = new TreeMap<>();

    private boolean isCompared;
    private String definition = Model.DEFINITION;

    Auditor(World world) {
        this.world = world;
    }

    void committed(Transaction transaction) {
        for (Change change : transaction.acknowledged) {
            Content before = change.from() == null ? null : expected.remove(change.from());
            boolean isUnseen = change.from() != null && unseen.containsKey(change.from());
            if (change.to() != null && (before != null || change.from() == null)) {
                expected.put(change.to(), change.change().apply(before));
            }
            if (change.to() != null && isUnseen) { // it takes what was not seen to another key
                unseen.put(change.to(), true);
            }
            if (transaction.isUnlogged && isCompared) {
                Arrays.asList(change.from(), change.to()).stream()
                        .filter(Objects::nonNull)
                        .forEach(id -> unseen.put(id, true));
            }
        }
    }

    void altered(String now) {
        definition = now;
    }

    void truncated() {
        expected.clear();
    }

    /** Both tables are compared as they are now. */
    void compared() {
        isCompared = true;
        unseen.clear();
    }

    /** The tables have their new names, and nobody has used them. */
    void exchanged() {
        judge("at the exchange");
    }

    /** @throws BrokenPromiseException if the table is not as it was committed */
    void judge(String when) {
        Table table = world.model.tables.get(Model.TABLE);
        if (table == null) {
            throw new BrokenPromiseException(COMMITTED, when + " there is no table");
        }
        if (!table.definition.equals(definition)) {
            throw new BrokenPromiseException(COMMITTED, when + " the table is not as it was altered");
        }
        for (Map.Entry<Integer, Content> each : expected.entrySet()) {
            if (!unseen.containsKey(each.getKey())) {
                difference(each.getValue(), (Content) table.rows.get(each.getKey()))
                        .ifPresent(how -> {
                            throw new BrokenPromiseException(COMMITTED, when + " the row " + each.getKey() + " " + how);
                        });
            }
        }
        for (Integer id : table.rows.keySet()) {
            if (!expected.containsKey(id) && !unseen.containsKey(id)) {
                throw new BrokenPromiseException(COMMITTED, when + " the row " + id + " is there, and was deleted");
            }
        }
    }

    private Optional<String> difference(Content committed, Content found) {
        if (found == null) {
            return Optional.of("is missing");
        }
        if (!found.note().equals(committed.note()) || !Objects.equals(found.unique(), committed.unique())) {
            return Optional.of("has note '" + found.note() + "' and u = " + found.unique() + " instead of '"
                    + committed.note() + "' and " + committed.unique());
        }
        byte[] value = found.payload() == null ? null : world.reader.decode(found.payload());
        return Arrays.equals(value, committed.payload())
                ? Optional.empty()
                : Optional.of("has the value " + text(value) + " instead of " + text(committed.payload()));
    }

    private static String text(byte[] value) {
        return value == null ? "NULL" : new String(value, java.nio.charset.StandardCharsets.ISO_8859_1);
    }
}
