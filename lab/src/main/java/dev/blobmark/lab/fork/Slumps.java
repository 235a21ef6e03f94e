package dev.blobmark.lab.fork;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.statistics.descriptive.Median;

/**
 * Periods in which the machine stalled: consecutive visits of two or more trials, each at less than half of its trial's
 * usual rate. A virtual machine's host that takes processors away causes them, and so does intermittent work of others.
 * A trial that is sometimes slow by itself does not, because the visits before and after it have their usual rates.
 */
final class Slumps {

    /** Share of the median of a trial's visits in the fork. Of undisturbed visits, 1 in 500 is below it. */
    private static final double PART_OF_USUAL = 0.5;

    /** Operations per second of the visits in this fork, by trial. */
    private final Map<Integer, List<Double>> rates = new HashMap<>();

    /**
     * A visit of a trial.
     *
     * @param trial number of the trial
     * @param number of the visit among those of the trial
     * @param rate operations per second
     */
    record RatedVisit(int trial, int number, double rate) {}

    /**
     * The visits that are part of a slump.
     *
     * @param visits of one round, in order of time; the usual rate also includes the visits of earlier calls
     */
    Set<RatedVisit> find(List<RatedVisit> visits) {
        visits.forEach(visit ->
                rates.computeIfAbsent(visit.trial, trial -> new ArrayList<>()).add(visit.rate));
        Map<Integer, Double> usual = new HashMap<>();
        rates.forEach((trial, ofTrial) -> usual.put(
                trial,
                Median.withDefaults()
                        .evaluate(ofTrial.stream()
                                .mapToDouble(Double::doubleValue)
                                .toArray())));
        Set<RatedVisit> found = new HashSet<>();
        List<RatedVisit> slow = new ArrayList<>();
        for (RatedVisit visit : visits) {
            if (visit.rate < PART_OF_USUAL * usual.get(visit.trial)) {
                slow.add(visit);
                if (slow.stream().anyMatch(other -> other.trial != visit.trial)) {
                    found.addAll(slow);
                }
            } else {
                slow.clear();
            }
        }
        return found;
    }
}
