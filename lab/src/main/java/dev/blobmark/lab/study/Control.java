package dev.blobmark.lab.study;

import java.util.List;
import java.util.stream.Stream;

/**
 * A twin of the baseline, measured like any other method. What a run shows between twins is its noise floor.
 *
 * <p>It has all the levels of the baseline, on the same table, and one more that no study can state: by that its trials are its own,
 * under every condition, though they differ in nothing else.
 */
public final class Control {

    /** The method's id. */
    public static final String ID = "control";

    /** What stands for a factor in its levels and in the ids of its trials: {@code control=on}. */
    static final String LEVEL = "control";

    private Control() {}

    /** The methods, and behind them a twin of the one that is the baseline. */
    static List<Method> added(List<Method> methods, String baseline) {
        return methods.stream()
                .filter(method -> method.id().equals(baseline))
                .findFirst()
                .map(twin -> Stream.concat(
                                methods.stream(),
                                Stream.of(new Method(ID, twin.levels().with(LEVEL, "on"))))
                        .toList())
                .orElse(methods);
    }

    static boolean is(Method method) {
        return method.levels().find(LEVEL).isPresent();
    }
}
