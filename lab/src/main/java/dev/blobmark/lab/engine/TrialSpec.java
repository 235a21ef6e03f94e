package dev.blobmark.lab.engine;

import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import java.time.Duration;

/**
 * All that the engine needs to run one trial once, or one process's share of it.
 *
 * @param share operations in flight
 * @param warmUp longest run-in after each row has been read once
 * @param seed of this trial in this round, the same for all its processes; every worker's own is mixed from it
 */
public record TrialSpec(
        Workload workload, Setup setup, Share share, Window window, Duration warmUp, Clock clock, long seed) {

    /** A trial in one process. */
    public TrialSpec(
            Workload workload, Setup setup, int workers, Window window, Duration warmUp, Clock clock, long seed) {
        this(workload, setup, Share.whole(workers), window, warmUp, clock, seed);
    }
}
