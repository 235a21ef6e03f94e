package dev.blobmark.lab.study;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Checks every trial of a study.
 *
 * @param methodPlace returns the place of a method by its id
 * @param blockPlace returns the place of a block of conditions by its number, from 0
 */
record TrialCheck(
        Vocabulary vocabulary, Function<String, Place> methodPlace, IntFunction<Place> blockPlace, Problems problems) {

    /** More are taken for a mistake: a million trials of one second each take twelve days per round. */
    static final int MAX_TRIALS = 1_000_000;

    void check(List<Method> methods, List<ConditionBlock> blocks) {
        long trials = 0;
        for (int i = 0; i < blocks.size(); i++) {
            long inBlock = blocks.get(i).of(methods).size();
            for (List<String> levels : blocks.get(i).levels().values()) {
                inBlock = Math.min(inBlock * levels.size(), MAX_TRIALS + 1);
            }
            trials += inBlock;
            if (trials > MAX_TRIALS) {
                problems.add(
                        blockPlace.apply(i),
                        "methods and conditions up to here make more than " + MAX_TRIALS + " trials",
                        "use fewer levels or a larger step");
                return;
            }
        }
        Set<List<String>> reported = new HashSet<>();
        for (int i = 0; i < blocks.size(); i++) {
            for (Levels condition : blocks.get(i).expand()) {
                for (Method method : blocks.get(i).of(methods)) {
                    check(i, condition, method, reported);
                }
            }
        }
    }

    private void check(int block, Levels condition, Method method, Set<List<String>> reported) {
        Levels levels = method.levels().with(condition);
        try {
            Set<String> missing = vocabulary.missing(levels);
            for (String factor : missing) {
                problems.add(
                        blockPlace.apply(block),
                        "the factor '" + factor + "' is missing, and has no default",
                        "add it to this block of conditions, or to 'defaults' or the methods");
            }
            if (missing.isEmpty()) {
                for (String problem : vocabulary.problems(vocabulary.effective(levels))) {
                    if (reported.add(List.of(method.id(), problem))) {
                        problems.add(
                                methodPlace.apply(method.id()),
                                "method '" + method.id() + "' under " + condition + ": " + problem,
                                "");
                    }
                }
            }
        } catch (IllegalArgumentException e) {
            problems.add(blockPlace.apply(block), e);
        }
    }

    /** Reports methods with the same levels. All trials of the second would be trials of the first. */
    void duplicates(List<Method> methods) {
        Map<Levels, Method> seen = new HashMap<>();
        for (Method method : methods) {
            Method first = seen.putIfAbsent(vocabulary.withDefaults(method.levels()), method);
            if (first != null) {
                problems.add(
                        methodPlace.apply(method.id()),
                        "method '" + method.id() + "' is the same as '" + first.id() + "'",
                        "change one of them or remove it");
            }
        }
    }
}
