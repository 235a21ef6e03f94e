package dev.blobmark.bench.reencode.random;

import java.util.List;

/**
 * What became of a trial.
 *
 * @param reason of a refusal or a stop, or what differs; a word for its kind comes first
 * @param executed statements that succeeded on the table and on its twin
 * @param log what happened, in its order
 */
record Result(Outcome outcome, String reason, int executed, double seconds, List<String> log) {

    private static final int WORDS = 24;

    enum Outcome {
        /** All values are changed, and table and twin are the same. */
        CHANGED,
        /** The same, and the comparison after the exchange had to bring rows over. */
        BROUGHT_OVER,
        /** Rows may differ, and the command says so. */
        NAMED,
        /** Nothing was written. */
        REFUSED,
        /** It ended with a reason, and the table is the one that it was. */
        STOPPED,
        /** The same, but the reason is not one for people. */
        UNCLEAR,
        /** Something differs. */
        LOST,
        /** It did not end. */
        HUNG,
        /** The server does not take the table that was drawn, or the twin could not follow. */
        INVALID
    }

    /** The kind of what differs, or the first words of a reason without the names before them. */
    String kind() {
        if (outcome == Outcome.LOST || outcome == Outcome.HUNG) {
            int colon = reason.indexOf(':');
            return outcome + " " + (colon < 0 ? reason : reason.substring(0, colon));
        }
        String words = reason.replaceFirst("^.*?: ", "").replaceAll("[\\d']+", "#");
        return outcome + " " + words.substring(0, Math.min(WORDS, words.length()));
    }

    /** Whether somebody should look at it: without a loss, but not as it should be. */
    boolean isDoubtful(boolean isUnlogged) {
        return outcome == Outcome.UNCLEAR
                || !isUnlogged && (outcome == Outcome.BROUGHT_OVER || outcome == Outcome.NAMED);
    }

    /** Whether the change was wrong. */
    boolean isViolation() {
        return outcome == Outcome.LOST || outcome == Outcome.HUNG;
    }
}
