package dev.blobmark.lab.plan;

import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Trial;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The samples of a block by trial, in the order in which they were added. */
final class BlockSamples {

    private final Map<String, List<Sample>> byTrial = new HashMap<>();
    private final Set<TrialRound> places = new HashSet<>();

    private record TrialRound(String trial, int round) {}

    void add(Sample sample) {
        byTrial.computeIfAbsent(sample.trial().id(), trial -> new ArrayList<>()).add(sample);
        places.add(new TrialRound(sample.trial().id(), sample.round()));
    }

    boolean has(Trial trial, int round) {
        return places.contains(new TrialRound(trial.id(), round));
    }

    List<Sample> of(Trial trial) {
        return byTrial.getOrDefault(trial.id(), List.of());
    }

    Stream<Sample> all() {
        return byTrial.values().stream().flatMap(List::stream);
    }

    /** The number of forks that have samples, assuming that forks run in the order of their numbers. */
    int forks() {
        return 1 + all().mapToInt(Sample::fork).max().orElse(-1);
    }
}
