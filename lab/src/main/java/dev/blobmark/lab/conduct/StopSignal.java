package dev.blobmark.lab.conduct;

import dev.blobmark.lab.fork.Fork;
import dev.blobmark.mysql.admission.Alarm;
import java.util.Optional;

/**
 * Whether a run must end early, and why. Any thread may set it. The run's thread checks it between steps, and a
 * measuring fork is closed at once.
 */
final class StopSignal implements Alarm {

    /** Thrown on the run's thread to end the run. */
    static final class RunStoppedException extends RuntimeException {}

    private record StopReason(Ending ending, String note) {}

    private volatile boolean interrupted;

    /** A reason that concerns the server. */
    private volatile Optional<StopReason> reason = Optional.empty();

    private volatile Fork fork;

    /** Called when the user ends the run. */
    void interrupt() {
        interrupted = true;
        endFork();
    }

    @Override
    public void critical(String excess) {
        end(new StopReason(Ending.CRITICAL_LOAD, "ended by --critical-load: " + excess));
    }

    @Override
    public void lost(String why) {
        end(new StopReason(Ending.WATCH_LOST, "ended: " + why));
    }

    /** The first reason counts. */
    private synchronized void end(StopReason why) {
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

    /** @param measuring the fork to close when the run is ended; null when there is none */
    void setFork(Fork measuring) {
        fork = measuring;
    }

    boolean isSet() {
        return interrupted || reason.isPresent();
    }

    /** @throws RunStoppedException if the run must end */
    void check() {
        if (isSet()) {
            throw new RunStoppedException();
        }
    }

    /** A message for the user about the end; empty if the user ended the run. */
    Optional<String> note() {
        return reason.map(StopReason::note);
    }

    /** How the run ends. */
    Ending ending() {
        return reason.map(StopReason::ending).orElse(Ending.INTERRUPTED);
    }
}
