package dev.blobmark.analysis;

import static java.util.stream.Collectors.toSet;

import dev.blobmark.lab.study.Claim.Sides;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Ratios;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Two subjects that are compared. */
record Pair(Sides sides, ClaimSubject left, ClaimSubject right) {

    /** How many times as many operations the one of two longest ones may be of. */
    private static final double MAX_DRAWS = 1.1;

    /** Whether the sides have rounds in common, or were both measured in blocks of their own. */
    boolean isMeasured() {
        return !left.figures().isEmpty()
                && !right.figures().isEmpty()
                && (isPaired() || sharesNoBlock())
                && unequalDraws().isEmpty();
    }

    /** The longest of more operations is longer, whatever is compared. */
    Optional<String> unequalDraws() {
        double fewer = Math.min(left.draws(), right.draws());
        double more = Math.max(left.draws(), right.draws());
        return more <= fewer * MAX_DRAWS
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "the longest of %,.0f operations cannot be compared with the longest of %,.0f; measure windows"
                                + " of a number of operations (--time 10000ops)",
                        more,
                        fewer));
    }

    boolean isPaired() {
        return Ratios.byRound(left.figures(), right.figures()).units() > 0;
    }

    /**
     * Ratios by round, or by pass if the sides ran under one condition on servers of different environments. Empty if
     * nothing pairs them: conditions in different blocks, or runs.
     */
    Optional<Ratios> matched() {
        boolean isOneCondition = left.trial().condition().equals(right.trial().condition());
        return Optional.of(Ratios.matched(left.figures(), right.figures()))
                .filter(ratios -> ratios.units() > 0 && (isPaired() || isOneCondition));
    }

    private boolean sharesNoBlock() {
        Set<Integer> blocks = left.figures().stream().map(Figure::block).collect(toSet());
        return right.figures().stream().map(Figure::block).noneMatch(blocks::contains);
    }
}
