package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** What is in InnoDB's buffer pool when a window that only reads begins. A level of the factor {@code pool}. */
public enum Pool {
    /** What the warm-up has read, as far as it fits. */
    WARM,
    /** Nothing of the trial's table: the server has been started again since it was last read. */
    COLD;

    public static final Factor<Pool> FACTOR = Factor.ofWords(
            "pool",
            Factor.Home.CONDITION,
            Set.of(),
            Set.of(Factor.Use.COLD),
            "what the buffer pool has of the table when a window begins",
            Arrays.asList(values()),
            pool -> pool.name().toLowerCase(Locale.ROOT));
}
