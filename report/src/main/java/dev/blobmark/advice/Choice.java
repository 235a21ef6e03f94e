package dev.blobmark.advice;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The rule by which one of several candidates is recommended. */
final class Choice {

    /** Candidates whose sizes differ by less are equally small: the easier to read is preferred. */
    private static final double SAME_SIZE = 0.05;

    /** To change how values are stored, without being faster, must save at least this share of the disk. */
    private static final double WORTH_A_CHANGE = 0.10;

    private Choice() {}

    /**
     * A candidate with what the rule looks at.
     *
     * @param costNanos reads and writes by their shares
     * @param diskBytes of a value
     */
    record Contender(Candidate candidate, double costNanos, double diskBytes) {}

    /**
     * The smallest of those whose cost is within the goal's tolerance of the lowest. Of those that are equally small,
     * the one that is easiest to read; of these, the one with the lowest cost. Values stay as they are if that is
     * within the tolerance and no candidate is smaller by more than 10 %.
     */
    static Optional<Candidate> of(List<Contender> contenders, Goal goal) {
        List<Contender> eligible = eligible(contenders, goal.tolerance());
        double smallest = smallest(eligible);
        return eligible.stream()
                .filter(one -> one.candidate().isAsIs()
                        ? one.diskBytes() * (1 - WORTH_A_CHANGE) <= smallest
                        : one.diskBytes() <= smallest * (1 + SAME_SIZE))
                .min(Comparator.comparing((Contender one) -> !one.candidate().isAsIs())
                        .thenComparing(one -> one.candidate().reading())
                        .thenComparingDouble(Contender::costNanos))
                .map(Contender::candidate);
    }

    /**
     * Whether a recommendation still holds among these: it is neither too slow nor larger than the smallest by more
     * than twice of what counts as equal. So small errors of a forecast do not change it.
     *
     * @param uncertainty of the costs: 0.03 for 3 %; what takes longer by less than that is not too slow
     */
    static boolean holds(Candidate recommended, List<Contender> contenders, Goal goal, double uncertainty) {
        List<Contender> eligible = eligible(contenders, goal.tolerance() + uncertainty);
        return eligible.stream()
                .anyMatch(one -> one.candidate().equals(recommended)
                        && one.diskBytes() <= smallest(eligible) * (1 + 2 * SAME_SIZE));
    }

    private static List<Contender> eligible(List<Contender> contenders, double tolerance) {
        double lowest =
                contenders.stream().mapToDouble(Contender::costNanos).min().orElse(0);
        return contenders.stream()
                .filter(one -> one.costNanos() <= lowest * (1 + tolerance))
                .toList();
    }

    private static double smallest(List<Contender> contenders) {
        return contenders.stream().mapToDouble(Contender::diskBytes).min().orElse(0);
    }
}
