package dev.blobmark.lab.fork;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.statistics.descriptive.Median;

/**
 * Moments in which the machine did little for anyone: visits next to each other in time, of two trials or more, each of them at less than half of the
 * rate that is usual for its trial. The host of a virtual machine that takes its processors away makes such moments, and so does work of others that
 * comes and goes. A trial that is slow at times by itself makes none: its neighbours go on as usual.
 */
final class Slumps {

    /** Of the median of a trial's visits in the fork. Of visits that nothing has disturbed, 1 in 500 is below it. */
    private static final double PART_OF_USUAL = 0.5;

    /** By trial, what its visits in this fork have given. */
    private final Map<Integer, List<Double>> rates = new HashMap<>();

    /**
     * A visit of a trial.
     *
     * @param trial its number
     * @param number of the visit, of those of that trial
     * @param rate operations per second
     */
    record Visit(int trial, int number, double rate) {}

    /**
     * Those of the visits that fell in such a moment.
     *
     * @param visits in their order in time, of one round; those of earlier calls, of earlier rounds, say what is usual too
     */
    Set<Visit> in(List<Visit> visits) {
        visits.forEach(visit ->
                rates.computeIfAbsent(visit.trial, trial -> new ArrayList<>()).add(visit.rate));
        Map<Integer, Double> usual = new HashMap<>();
        rates.forEach((trial, ofTrial) -> usual.put(
                trial,
                Median.withDefaults()
                        .evaluate(ofTrial.stream()
                                .mapToDouble(Double::doubleValue)
                                .toArray())));
        Set<Visit> fell = new HashSet<>();
        List<Visit> slow = new ArrayList<>();
        for (Visit visit : visits) {
            if (visit.rate < PART_OF_USUAL * usual.get(visit.trial)) {
                slow.add(visit);
                if (slow.stream().anyMatch(other -> other.trial != visit.trial)) {
                    fell.addAll(slow);
                }
            } else {
                slow.clear();
            }
        }
        return fell;
    }
}
