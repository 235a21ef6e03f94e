package dev.blobmark.lab.engine;

import dev.blobmark.lab.client.ClientKind;
import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.study.Window;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.Clock;
import java.time.Duration;

/**
 * What the engine needs to run a trial once, or one process's share of it.
 *
 * @param share number of concurrent operations; in an open loop the maximum
 * @param load when operations begin, in all processes together
 * @param warmUp longest warm-up after each row has been read once
 * @param seed of this trial in this round, the same in all processes; the workers' seeds are derived from it
 */
public record TrialSpec(
        Workload workload,
        Setup setup,
        Share share,
        Load load,
        Window window,
        Duration warmUp,
        Clock clock,
        long seed) {

    /** This trial with what the workers of this process share. */
    TrialSpec forProcess() {
        Setup shared = setup.forProcess(share.first(), share.count(), share.total());
        return new TrialSpec(workload, shared, share, load, window, warmUp, clock, seed);
    }

    boolean isAsync() {
        return setup.design().get(ClientKind.FACTOR) == ClientKind.ASYNC;
    }

    /** Number of workers for the share; an asynchronous trial has one. */
    int workers() {
        return isAsync() ? 1 : share.count();
    }

    /** A trial in one process, in a closed loop. */
    public TrialSpec(
            Workload workload, Setup setup, int workers, Window window, Duration warmUp, Clock clock, long seed) {
        this(workload, setup, Share.whole(workers), new Load.Closed(), window, warmUp, clock, seed);
    }
}
