package dev.blobmark.advice;

import dev.blobmark.lab.link.Link;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Which candidates are raced: those that the forecast cannot distinguish from the best for the goal. */
final class Shortlist {

    /** The forecast may be wrong by this share. */
    private static final double UNSURE = 0.15;

    private static final int MOST_FAST = 3;
    private static final int MOST_SMALL = 3;

    private static final double FAST_BYTES_PER_SECOND = 300e6 / 8;

    /** Two candidates whose predicted cost and stored bytes differ by less are alike: one of them is enough. */
    private static final double ALIKE = 0.04;

    private Shortlist() {}

    /**
     * The candidates to race, with those whose time cannot be predicted; the present way of storing is one of them.
     *
     * @param costs predicted nanoseconds by candidate
     * @param excluded reasons, by candidate
     */
    static List<Candidate> of(
            List<Candidate> all, Map<String, Double> costs, Map<String, String> excluded, AdviceQuestion question) {
        Goal goal = question.goal();
        Link link = Link.parse(question.link());
        List<Candidate> possible = all.stream()
                .filter(candidate -> !excluded.containsKey(candidate.id()))
                .toList();
        List<Candidate> predictable =
                possible.stream().filter(Candidate::isPredictable).toList();
        double lowest = predictable.stream()
                .mapToDouble(candidate -> costs.get(candidate.id()))
                .min()
                .orElseThrow();
        Set<Candidate> chosen = new LinkedHashSet<>();
        possible.stream().filter(Candidate::isAsIs).forEach(chosen::add);
        add(
                chosen,
                predictable.stream()
                        .filter(candidate -> costs.get(candidate.id()) <= lowest * (1 + UNSURE))
                        .sorted(Comparator.comparingDouble(candidate -> costs.get(candidate.id())))
                        .toList(),
                MOST_FAST,
                costs);
        add(
                chosen,
                predictable.stream()
                        .filter(candidate ->
                                costs.get(candidate.id()) <= lowest * (1 + goal.tolerance()) * (1 + UNSURE))
                        .sorted(Comparator.comparingDouble(
                                candidate -> candidate.figures().storedBytes()))
                        .toList(),
                MOST_SMALL,
                costs);
        possible.stream()
                .filter(candidate -> !candidate.isPredictable() && !isWasted(candidate, link))
                .forEach(chosen::add);
        return List.copyOf(chosen);
    }

    /** Over a fast link, to compress packets takes longer than to send them. */
    private static boolean isWasted(Candidate candidate, Link link) {
        return candidate.isCompressedOnTheWire()
                && link.down().orElse(Double.POSITIVE_INFINITY) > FAST_BYTES_PER_SECOND;
    }

    /** Adds the first ones that are not like one that is chosen already. */
    private static void add(Set<Candidate> chosen, List<Candidate> sorted, int most, Map<String, Double> costs) {
        int added = 0;
        for (Candidate one : sorted) {
            boolean isAlike = chosen.stream()
                    .anyMatch(other -> other.isPredictable()
                            && isAlike(costs.get(one.id()), costs.get(other.id()))
                            && isAlike(
                                    one.figures().storedBytes(), other.figures().storedBytes()));
            if (!isAlike && added < most) {
                chosen.add(one);
                added++;
            }
        }
    }

    private static boolean isAlike(double one, double other) {
        return Math.abs(Math.log(one / other)) < ALIKE;
    }

    /** Reasons for candidates that do not meet the requirements of a question. */
    static Map<String, String> excluded(List<Candidate> all, AdviceQuestion question) {
        Map<String, String> excluded = new LinkedHashMap<>();
        for (Candidate candidate : all) {
            List<String> reasons = new ArrayList<>();
            if (question.mustReadInSql() && candidate.reading() == Reading.LIBRARY) {
                reasons.add("SQL cannot read it");
            }
            if (candidate.figures().encodeNanos() > question.maxEncodeNanos().orElse(Double.POSITIVE_INFINITY)) {
                reasons.add("encoding a value takes longer than allowed");
            }
            long memory = candidate.figures().memoryBytes().orElse(0);
            if (memory > question.maxMemoryBytes().orElse(Long.MAX_VALUE)) {
                reasons.add(
                        String.format(Locale.ROOT, "it needs %.1f MB a thread, more than allowed", memory / 1048576.0));
            }
            if (!reasons.isEmpty()) {
                excluded.put(candidate.id(), String.join(", ", reasons));
            }
        }
        return excluded;
    }
}
