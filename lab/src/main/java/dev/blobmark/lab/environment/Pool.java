package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** The content of InnoDB's buffer pool at the start of a window that only reads: a level of the factor {@code pool}. */
public enum Pool {
    /** The pages that the warm-up has read, as far as they fit. */
    WARM,
    /** No page of the trial's table: the server is restarted before the window. */
    COLD;

    public static final Factor<Pool> FACTOR = Factor.ofWords(
            "pool",
            Factor.Home.CONDITION,
            Set.of(),
            Set.of(Factor.Use.COLD),
            "whether the buffer pool has pages of the table at the start of a window",
            Arrays.asList(values()),
            pool -> pool.name().toLowerCase(Locale.ROOT));
}
