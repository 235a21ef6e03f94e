package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Methods, conditions, a schedule, a baseline and a headline metric: an experiment, with one profile chosen.
 *
 * @param name as on the command line
 * @param question what it answers
 * @param source who asked first; empty where nobody did
 * @param profile the name of the chosen profile; empty where the study has none
 * @param metric what methods are ranked by
 * @param baseline id of the method that others are compared to
 * @param claims what has been said of all this; their ids are distinct
 */
public record Study(
        String name,
        String question,
        String source,
        String profile,
        Metric metric,
        String baseline,
        List<Method> methods,
        List<ConditionBlock> conditions,
        Schedule schedule,
        List<Claim> claims) {

    public Study {
        methods = List.copyOf(methods);
        conditions = List.copyOf(conditions);
        claims = List.copyOf(claims);
        Set<String> ids = new HashSet<>();
        for (Method method : methods) {
            if (!ids.add(method.id())) {
                throw new IllegalArgumentException("method '" + method.id() + "' is there twice");
            }
        }
        if (!ids.contains(baseline)) {
            throw new IllegalArgumentException("the baseline '" + baseline + "' is not among the methods");
        }
        Set<String> claimIds = new HashSet<>();
        for (Claim claim : claims) {
            if (!claimIds.add(claim.id())) {
                throw new IllegalArgumentException("the claim '" + claim.id() + "' is there twice");
            }
        }
    }

    /** The same, with another schedule. */
    public Study with(Schedule another) {
        return new Study(name, question, source, profile, metric, baseline, methods, conditions, another, claims);
    }

    /**
     * Every method under every condition, each distinct trial once: methods that differ in nothing that matters to a
     * condition are one trial there, named after the first of them.
     */
    public List<Trial> trials(Vocabulary vocabulary) {
        List<Trial> trials = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> ofConditions = new HashSet<>(vocabulary.names());
        conditions.forEach(block -> ofConditions.addAll(block.levels().keySet()));
        ofConditions.removeIf(factor -> home(factor, vocabulary) == Factor.Home.METHOD);
        for (ConditionBlock block : conditions) {
            Set<String> conditionFactors = new HashSet<>(ofConditions);
            conditionFactors.addAll(block.levels().keySet());
            for (Levels condition : block.expand()) {
                for (Method method : block.of(methods)) {
                    Levels effective = vocabulary.effective(method.levels().with(condition));
                    String id = vocabulary.identity(effective);
                    if (ids.add(id)) {
                        trials.add(new Trial(
                                id,
                                method.id(),
                                effective.only(factor -> !conditionFactors.contains(factor)),
                                effective.only(conditionFactors::contains)));
                    }
                }
            }
        }
        return trials;
    }

    /** The id of the twin of the baseline; empty where the study has none. */
    public Optional<String> control() {
        return methods.stream().filter(Control::is).map(Method::id).findFirst();
    }

    /** A factor's home in this study: where the study states it, or else the usual one. */
    public Factor.Home home(String factor, Vocabulary vocabulary) {
        if (isOfMethods(factor)) {
            return Factor.Home.METHOD;
        }
        if (isOfConditions(factor)) {
            return Factor.Home.CONDITION;
        }
        return vocabulary.find(factor).orElseThrow().home();
    }

    /** Whether methods choose a factor, and a block that they take no part in states it. */
    boolean hasTwoHomes(String factor) {
        return isOfMethods(factor) && isOfConditions(factor);
    }

    private boolean isOfMethods(String factor) {
        return methods.stream().anyMatch(method -> method.levels().find(factor).isPresent());
    }

    private boolean isOfConditions(String factor) {
        return conditions.stream().anyMatch(block -> block.levels().containsKey(factor));
    }
}
