package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How often writes are committed. A level of the factor {@code commit}.
 *
 * @param operations of one connection per transaction; {@link Long#MAX_VALUE} for all of a window
 */
public record Commit(long operations) {

    private static final int MAX = 1_000_000;
    private static final Commit EACH = new Commit(1);
    private static final Commit ALL = new Commit(Long.MAX_VALUE);

    public static final Factor<Commit> FACTOR = new Factor<>(
                    "commit",
                    Factor.Home.CONDITION,
                    Set.of(),
                    Set.of(Factor.Use.WRITE),
                    "after how many operations a connection commits; each: after every one; all: once, at the end of the window",
                    List.of("each", "100", "all"),
                    Optional.of("each"),
                    Commit::parse,
                    Commit::toString)
            .withForm("each|all|" + Factor.WHOLE);

    private static Commit parse(String level) {
        if (level.equals("each") || level.equals("all")) {
            return level.equals("each") ? EACH : ALL;
        }
        try {
            int operations = Integer.parseInt(level);
            if (operations >= 1 && operations <= MAX) {
                return new Commit(operations);
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "commit '" + level + "' is neither 'each' nor 'all' nor a number of operations between 1 and " + MAX);
    }

    @Override
    public String toString() {
        return equals(EACH) ? "each" : equals(ALL) ? "all" : Long.toString(operations);
    }
}
