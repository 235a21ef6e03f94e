package dev.blobmark.lab.engine;

import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import java.time.Duration;

/**
 * All that the engine needs to run one trial once.
 *
 * @param workers operations in flight, in an open loop the most of them; 1 or more
 * @param load what makes operations begin
 * @param warmUp longest run-in after each row has been read once
 * @param seed of this trial in this round; every worker's own is mixed from it
 */
public record TrialSpec(
        Workload workload,
        Setup setup,
        int workers,
        Load load,
        Window window,
        Duration warmUp,
        Clock clock,
        long seed) {

    /** A trial in a closed loop. */
    public TrialSpec(
            Workload workload, Setup setup, int workers, Window window, Duration warmUp, Clock clock, long seed) {
        this(workload, setup, workers, new Load.Closed(), window, warmUp, clock, seed);
    }

    public TrialSpec {
        if (workers < 1) {
            throw new IllegalArgumentException("workers: " + workers + " is less than 1");
        }
    }
}
