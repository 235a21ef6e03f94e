package dev.blobmark.lab.study;

import dev.blobmark.lab.measurement.Metric;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Methods, conditions, a schedule, a baseline and a headline metric, with one profile chosen.
 *
 * @param name as on the command line
 * @param question what the study answers
 * @param source who asked first; may be empty
 * @param profile name of the chosen profile; empty if the study has none
 * @param metric what methods are ranked by
 * @param baseline id of the method that others are compared with
 * @param claims with distinct ids
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
                throw new IllegalArgumentException("two methods have the name '" + method.id() + "'");
            }
        }
        if (!ids.contains(baseline)) {
            throw new IllegalArgumentException("the baseline '" + baseline + "' is not among the methods");
        }
        Set<String> claimIds = new HashSet<>();
        for (Claim claim : claims) {
            if (!claimIds.add(claim.id())) {
                throw new IllegalArgumentException("two claims have the id '" + claim.id() + "'");
            }
        }
    }

    /** The same, with another schedule. */
    public Study with(Schedule another) {
        return new Study(name, question, source, profile, metric, baseline, methods, conditions, another, claims);
    }

    /** The same, with other methods of the same ids. */
    public Study with(List<Method> others) {
        return new Study(name, question, source, profile, metric, baseline, others, conditions, schedule, claims);
    }

    /**
     * Every method under every condition, without duplicates. Methods that do not differ in a factor that matters under
     * a condition are one trial there, which has the name of the first of them.
     */
    public List<Trial> trials(Vocabulary vocabulary) {
        List<Trial> trials = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> atHomeInConditions = new HashSet<>(vocabulary.names());
        conditions.forEach(block -> atHomeInConditions.addAll(block.levels().keySet()));
        atHomeInConditions.removeIf(factor -> home(factor, vocabulary) == Factor.Home.METHOD);
        for (ConditionBlock block : conditions) {
            Set<String> conditionFactors = new HashSet<>(atHomeInConditions);
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

    /** The names of the charts that this profile measures. */
    public List<String> charts() {
        return conditions.stream()
                .flatMap(block -> block.charts().stream())
                .distinct()
                .toList();
    }

    /** The id of the A/A control; empty if the study has none. */
    public Optional<String> control() {
        return methods.stream().filter(Control::is).map(Method::id).findFirst();
    }

    /** Where this study states a factor, or else the factor's usual home. */
    public Factor.Home home(String factor, Vocabulary vocabulary) {
        if (isOfMethods(factor)) {
            return Factor.Home.METHOD;
        }
        if (isOfConditions(factor)) {
            return Factor.Home.CONDITION;
        }
        return vocabulary.find(factor).orElseThrow().home();
    }

    /** Whether methods state a factor, and a block without these methods states it too. */
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
