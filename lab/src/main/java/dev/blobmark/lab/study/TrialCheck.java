package dev.blobmark.lab.study;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Looks at every trial that a study would make, and says what is wrong with it.
 *
 * @param methodPlace where a method, by its id, is written
 * @param blockPlace where a block of conditions, by its number, is written
 */
record TrialCheck(
        Vocabulary vocabulary, Function<String, Place> methodPlace, IntFunction<Place> blockPlace, Problems problems) {

    /** Above this a study is a slip of the pen: a million trials of a second each take twelve days per round. */
    static final int MOST_TRIALS = 1_000_000;

    void check(List<Method> methods, List<ConditionBlock> blocks) {
        long trials = 0;
        for (int i = 0; i < blocks.size(); i++) {
            long inBlock = blocks.get(i).of(methods).size();
            for (List<String> levels : blocks.get(i).levels().values()) {
                inBlock = Math.min(inBlock * levels.size(), MOST_TRIALS + 1);
            }
            trials += inBlock;
            if (trials > MOST_TRIALS) {
                problems.add(
                        blockPlace.apply(i),
                        "methods and conditions up to here make more than " + MOST_TRIALS + " trials",
                        "take fewer levels or a larger step");
                return;
            }
        }
        Set<List<String>> told = new HashSet<>();
        for (int i = 0; i < blocks.size(); i++) {
            for (Levels condition : blocks.get(i).expand()) {
                for (Method method : blocks.get(i).of(methods)) {
                    check(i, condition, method, told);
                }
            }
        }
    }

    private void check(int block, Levels condition, Method method, Set<List<String>> told) {
        Levels levels = method.levels().with(condition);
        try {
            Set<String> missing = vocabulary.missing(levels);
            for (String factor : missing) {
                problems.add(
                        blockPlace.apply(block),
                        "nothing states the factor '" + factor + "', which has no default",
                        "add it to this block of conditions, or to 'defaults' or the methods");
            }
            if (missing.isEmpty()) {
                for (String problem : vocabulary.problems(vocabulary.effective(levels))) {
                    if (told.add(List.of(method.id(), problem))) {
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

    /** Methods without any difference: all trials of the second would be trials of the first. */
    void twins(List<Method> methods) {
        Map<Levels, Method> seen = new HashMap<>();
        for (Method method : methods) {
            Method twin = seen.putIfAbsent(vocabulary.withDefaults(method.levels()), method);
            if (twin != null) {
                problems.add(
                        methodPlace.apply(method.id()),
                        "method '" + method.id() + "' is the same as '" + twin.id() + "'",
                        "change one of them or take it out");
            }
        }
    }
}
