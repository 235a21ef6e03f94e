package dev.blobmark.bench.reencode.tokens;

import java.util.Arrays;
import java.util.Optional;

/**
 * What is known of a list: the order of its tokens as reads have shown it, and which the server has acknowledged. Each
 * read is judged at once.
 */
final class History {

    private static final int KEPT = 1 << 10;

    /** What is wrong with a list. */
    enum Violation {
        /** A token that was acknowledged before the read began is missing. */
        LOST,
        /** A worker's token is there twice. */
        DOUBLED,
        /** What was read is no continuation of what was read before. */
        OUT_OF_ORDER
    }

    /** @param text with the place */
    record Found(Violation violation, String text) {}

    private final int id;
    private int[] known = new int[KEPT];
    private int first;
    private int length;
    private int acknowledged;

    History(int id) {
        this.id = id;
    }

    /** Number of tokens that every later read must show. */
    synchronized int acknowledged() {
        return acknowledged;
    }

    /** The server has confirmed that the list is this one. */
    synchronized Optional<Found> acknowledge(TokenList list) {
        Optional<Found> found = judge(list, 0);
        acknowledged = Math.max(acknowledged, list.length());
        return found;
    }

    /**
     * Judges what was read.
     *
     * @param least what was acknowledged when the read began
     */
    synchronized Optional<Found> judge(TokenList list, int least) {
        if (list.id() != id) {
            return found(Violation.OUT_OF_ORDER, "is list " + list.id());
        }
        int[] counts = list.before().clone();
        for (int token : list.tokens()) {
            int expected = counts[TokenList.worker(token)]++;
            if (TokenList.sequence(token) != expected) {
                return found(
                        TokenList.sequence(token) < expected ? Violation.DOUBLED : Violation.LOST,
                        "has token " + TokenList.worker(token) + ":" + TokenList.sequence(token) + " in place of "
                                + expected);
            }
        }
        if (list.length() < least) {
            return found(Violation.LOST, "has " + list.length() + " tokens, and " + least + " were acknowledged");
        }
        int begin = list.first();
        if (begin > length) {
            return found(Violation.OUT_OF_ORDER, "continues at " + begin + ", and only " + length + " are known");
        }
        for (int i = 0; i < list.tokens().length; i++) {
            int place = begin + i;
            if (place < first) {
                continue;
            }
            if (place >= length) {
                add(list.tokens()[i]);
            } else if (known[place - first] != list.tokens()[i]) {
                return found(Violation.OUT_OF_ORDER, "has another token than before at " + place);
            }
        }
        return Optional.empty();
    }

    private void add(int token) {
        if (length - first == known.length) { // values have only the last ones
            int half = known.length / 2;
            known = Arrays.copyOf(Arrays.copyOfRange(known, half, known.length), known.length);
            first += half;
        }
        known[length++ - first] = token;
    }

    private Optional<Found> found(Violation violation, String text) {
        return Optional.of(new Found(violation, "list " + id + " " + text));
    }
}
