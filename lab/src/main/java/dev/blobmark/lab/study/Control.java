package dev.blobmark.lab.study;

import java.util.List;
import java.util.stream.Stream;

/**
 * The A/A control: a second copy of the baseline, measured like any other method. The difference that a run shows
 * between the two is its noise floor.
 *
 * <p>The control uses the baseline's table and has all its levels. It has one more level, which no study can state, so
 * that its trials have ids of their own.
 */
public final class Control {

    /** The method's id. */
    public static final String ID = "control";

    /** The factor of the additional level, also in the ids of trials: {@code control=on}. */
    static final String LEVEL = "control";

    private Control() {}

    /** The methods, followed by a copy of the baseline. */
    static List<Method> appended(List<Method> methods, String baseline) {
        return methods.stream()
                .filter(method -> method.id().equals(baseline))
                .findFirst()
                .map(original -> Stream.concat(
                                methods.stream(),
                                Stream.of(new Method(ID, original.levels().with(LEVEL, "on"))))
                        .toList())
                .orElse(methods);
    }

    static boolean is(Method method) {
        return method.levels().find(LEVEL).isPresent();
    }
}
