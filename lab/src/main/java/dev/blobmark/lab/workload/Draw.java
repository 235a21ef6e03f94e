package dev.blobmark.lab.workload;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** How the looked-up keys of a set are chosen. A level of the factor {@code draw}. */
public enum Draw {
    /** Each key at random, whatever was looked up before. */
    UNIFORM,
    /** Each key of the set once, in a random order; then again in another order. */
    ONCE;

    public static final Factor<Draw> FACTOR = Factor.ofWords(
            "draw",
            Factor.Home.CONDITION,
            Set.of(),
            Set.of(Factor.Use.SET),
            "how the looked-up keys are chosen: at random, or each key of the set once",
            Arrays.asList(values()),
            draw -> draw.name().toLowerCase(Locale.ROOT));
}
