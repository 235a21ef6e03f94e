package dev.blobmark.lab.study;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names of trials in progress and errors: the method, and the levels in which the study's conditions differ, such
 * as {@code zstd (size=4KB)}. A factor that some conditions do not have is left out if the others agree on it.
 *
 * @param differing names of the factors in which conditions differ
 */
public record TrialNames(Set<String> differing) {

    public static TrialNames of(Collection<Trial> trials) {
        List<Levels> conditions =
                trials.stream().map(Trial::condition).distinct().toList();
        return new TrialNames(conditions.stream()
                .flatMap(condition -> condition.byFactor().keySet().stream())
                .filter(factor -> conditions.stream()
                                .flatMap(condition -> condition.find(factor).stream())
                                .distinct()
                                .count()
                        > 1)
                .collect(Collectors.toSet()));
    }

    /** @param condition as people read it */
    public String of(String method, Levels condition) {
        Levels levels = condition.only(differing::contains);
        return levels.byFactor().isEmpty() ? method : method + " (" + levels + ")";
    }
}
