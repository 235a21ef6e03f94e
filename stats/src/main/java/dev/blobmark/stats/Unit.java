package dev.blobmark.stats;

/**
 * What counts as one independent repetition of a comparison: the highest level that was repeated. An interval covers
 * the variance of its unit and of the levels below it, but not of those above.
 */
public enum Unit {
    /** Rounds of one JVM. */
    ROUND("round", "within one JVM; variance between forks is not covered"),
    /** Fresh JVMs on one server. */
    FORK("fork", "between forks on one start of the server"),
    /** Blocks, each with the server started or loaded again. */
    BLOCK("block", "between blocks, each with the server started or loaded anew"),
    /** Whole runs of a study. */
    RUN("run", "between runs, each with the server started and loaded again");

    private final String word;
    private final String scope;

    Unit(String word, String scope) {
        this.word = word;
        this.scope = scope;
    }

    public String word() {
        return word;
    }

    /** What an interval over this unit covers, for print next to it. */
    public String scope() {
        return scope;
    }
}
