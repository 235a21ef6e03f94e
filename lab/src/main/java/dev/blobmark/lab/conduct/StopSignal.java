package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.Alarm;
import dev.blobmark.lab.fork.Fork;
import java.util.Optional;

/**
 * Whether a run is to end before it is done, and why. Set by any thread; the run's own thread looks at it between its steps, and a fork
 * that is measuring is ended at once.
 */
final class StopSignal implements Alarm {

    /** Thrown on the run's own thread, to leave whatever it is in. */
    static final class StoppedException extends RuntimeException {}

    private record Reason(Ending ending, String note) {}

    private volatile boolean interrupted;

    /** For the sake of the server. */
    private volatile Optional<Reason> reason = Optional.empty();

    private volatile Fork fork;

    /** The user wants the run to end. */
    void interrupt() {
        interrupted = true;
        endFork();
    }

    @Override
    public void critical(String excess) {
        end(new Reason(Ending.CRITICAL_LOAD, "ended by --critical-load: " + excess));
    }

    @Override
    public void lost(String why) {
        end(new Reason(Ending.WATCH_LOST, "ended: " + why));
    }

    /** The first reason counts. */
    private synchronized void end(Reason why) {
        if (reason.isEmpty()) {
            reason = Optional.of(why);
        }
        endFork();
    }

    private void endFork() {
        Fork measuring = fork;
        if (measuring != null) {
            measuring.close();
        }
    }

    /** @param measuring the fork that is ended when the run is; null after it */
    void measuring(Fork measuring) {
        fork = measuring;
    }

    boolean isSet() {
        return interrupted || reason.isPresent();
    }

    /** @throws StoppedException if the run is to end */
    void check() {
        if (isSet()) {
            throw new StoppedException();
        }
    }

    /** What the user should know of the end; empty if it was the user who wanted it. */
    Optional<String> note() {
        return reason.map(Reason::note);
    }

    /** How the run ends. */
    Ending ending() {
        return reason.map(Reason::ending).orElse(Ending.INTERRUPTED);
    }
}
