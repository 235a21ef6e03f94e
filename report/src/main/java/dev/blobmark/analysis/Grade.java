package dev.blobmark.analysis;

import dev.blobmark.lab.study.Claim.Apart;
import dev.blobmark.lab.study.Claim.Bounds;
import dev.blobmark.lab.study.Claim.Holds;
import dev.blobmark.lab.study.Claim.Relation;
import dev.blobmark.lab.study.Claim.Within;
import dev.blobmark.stats.Difference;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Margin;
import java.util.Collection;
import java.util.Optional;

/** The result of a claim, or of one of its comparisons. */
public enum Grade {
    /** The whole interval lies where the claim says. */
    REPRODUCED("reproduced"),
    /** The difference has the claimed direction, but its size, or that it holds everywhere, is not established. */
    DIRECTION_ONLY("in direction but not in size"),
    /** A difference is claimed, and the whole interval lies within what may be called equal. */
    NO_DIFFERENCE("no difference"),
    /** A size is claimed, and the whole interval lies below it; it includes 1, so that the direction is open. */
    SMALLER("smaller than claimed"),
    /** The claim must hold in each comparison. It holds in some, and is refuted in others. */
    IN_PART("in part"),
    /** The whole interval lies where the claim excludes it: on the other side of 1. */
    REVERSED("reversed"),
    /** None of these: the interval is too wide, or there is none. */
    INCONCLUSIVE("inconclusive"),
    /** Something that the claim names was not measured. */
    NOT_TESTED("not tested here");

    private final String word;

    Grade(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /** The grade of one comparison, by the interval of its ratio. */
    static Grade of(Relation relation, Interval interval, Margin margin) {
        if (!(interval instanceof Interval.Range range)) {
            return INCONCLUSIVE;
        }
        Bounds bounds = relation.bounds();
        boolean isInside = bounds.low() <= range.low() && range.high() <= bounds.high();
        if (relation instanceof Within) {
            boolean isOutside = range.high() < bounds.low() || bounds.high() < range.low();
            return isInside ? REPRODUCED : isOutside ? REVERSED : INCONCLUSIVE;
        }
        if (range.contains(1)) {
            return margin.holds(range) ? NO_DIFFERENCE : range.high() < bounds.low() ? SMALLER : INCONCLUSIVE;
        }
        return range.high() < 1 ? REVERSED : isInside ? REPRODUCED : DIRECTION_ONLY;
    }

    /**
     * The grade of one comparison whose figures are claimed to differ by an amount. Without a difference it is
     * inconclusive.
     */
    static Grade of(Apart claimed, Optional<Difference> difference, Interval ratio, Margin margin) {
        if (difference.isEmpty()) {
            return INCONCLUSIVE;
        }
        double low = difference.get().low();
        double high = difference.get().high();
        if (low > 0) {
            return claimed.lowNanos() <= low && high <= claimed.highNanos() ? REPRODUCED : DIRECTION_ONLY;
        }
        boolean isNothing = ratio instanceof Interval.Range range && range.contains(1) && margin.holds(range);
        return high < 0 ? REVERSED : isNothing ? NO_DIFFERENCE : high < claimed.lowNanos() ? SMALLER : INCONCLUSIVE;
    }

    /**
     * The grade of a claim by its comparisons, at least one. A claim that holds on average is graded by its mean
     * instead.
     *
     * <p>That the claim holds everywhere is part of its size. If it must hold in each comparison and holds only in
     * most, only its direction is reproduced.
     */
    static Grade of(Holds holds, Collection<Grade> grades) {
        long reproduced = count(grades, REPRODUCED);
        long inDirection = reproduced + count(grades, DIRECTION_ONLY);
        long open = count(grades, INCONCLUSIVE);
        int all = grades.size();
        if (holds == Holds.SOMETIMES) {
            return sometimes(grades, reproduced, inDirection, open);
        }
        if (holds == Holds.EACH ? reproduced == all : 2 * reproduced > all) {
            return REPRODUCED;
        }
        boolean mayStillHold = holds == Holds.EACH && reproduced + open == all;
        if (2 * inDirection > all && !mayStillHold) {
            return DIRECTION_ONLY;
        }
        long reversed = count(grades, REVERSED);
        long equal = count(grades, NO_DIFFERENCE);
        long refuted = reversed + equal + count(grades, SMALLER);
        if (2 * refuted > all) {
            return 2 * reversed > all ? REVERSED : 2 * equal > all ? NO_DIFFERENCE : SMALLER;
        }
        return holds == Holds.EACH && reproduced > 0 && refuted > 0 ? IN_PART : INCONCLUSIVE;
    }

    private static Grade sometimes(Collection<Grade> grades, long reproduced, long inDirection, long open) {
        if (inDirection > 0) {
            return reproduced > 0 ? REPRODUCED : DIRECTION_ONLY;
        }
        if (open > 0) {
            return INCONCLUSIVE;
        }
        int all = grades.size();
        return 2 * count(grades, NO_DIFFERENCE) > all
                ? NO_DIFFERENCE
                : 2 * count(grades, SMALLER) > all ? SMALLER : REVERSED;
    }

    private static long count(Collection<Grade> grades, Grade grade) {
        return grades.stream().filter(grade::equals).count();
    }
}
