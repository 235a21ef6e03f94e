package dev.blobmark.lab.study;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What progress and errors call trials: the method, with the levels in which the study's conditions differ, as in {@code zstd (size=4KB)}.
 *
 * @param differing factors
 */
public record TrialNames(Set<String> differing) {

    public static TrialNames of(Collection<Trial> trials) {
        Set<Levels> conditions = trials.stream().map(Trial::condition).collect(Collectors.toSet());
        Map<String, Set<Optional<String>>> levels = new HashMap<>();
        for (Levels condition : conditions) {
            condition.byFactor().keySet().forEach(factor -> levels.put(factor, new HashSet<>()));
        }
        levels.forEach((factor, its) -> conditions.forEach(condition -> its.add(condition.find(factor))));
        return new TrialNames(levels.keySet().stream()
                .filter(factor -> levels.get(factor).size() > 1)
                .collect(Collectors.toSet()));
    }

    public String of(Trial trial) {
        Levels its = trial.condition().only(differing::contains);
        return its.byFactor().isEmpty() ? trial.method() : trial.method() + " (" + its + ")";
    }
}
