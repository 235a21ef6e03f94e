package dev.blobmark.advice;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What is preferred. Among the candidates that take at most a share longer than the fastest one, the smallest is
 * recommended.
 */
public enum Goal {
    /** The fastest; what takes at most 1 % longer counts as equal. */
    SPEED(0.01),
    /** The smallest of those that take at most 10 % longer than the fastest. */
    BALANCED(0.10),
    /** The smallest of those that take at most twice as long as the fastest. */
    DISK(1.0);

    private final double tolerance;

    Goal(double tolerance) {
        this.tolerance = tolerance;
    }

    /** How much longer a recommended candidate may take than the fastest one: 0.1 for 10 %. */
    public double tolerance() {
        return tolerance;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is no such goal */
    public static Goal parse(String word) {
        return Arrays.stream(values())
                .filter(goal -> goal.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + word + "' is not a preference; write "
                        + Arrays.stream(values()).map(Goal::word).collect(Collectors.joining(", "))));
    }
}
