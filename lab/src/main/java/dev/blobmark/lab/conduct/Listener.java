package dev.blobmark.lab.conduct;

import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Hears how a run goes on. Called by one thread at a time, and expected to return soon. */
public interface Listener {

    /** The run has a directory, and is expected to take so long. */
    void started(Path directory, Duration expected);

    /** Something begins, for people to read: {@code loading sites 64 KB as zstd:3}. */
    void doing(String what);

    /** Something is done that was expected to take so long; what is late or early shows by the clock. */
    void done(double expectedSeconds);

    /** More is going to be done than {@link #started} had expected: forks are added, and take so long. */
    void added(double expectedSeconds);

    void measured(Sample sample);

    /** What was found on this machine that makes figures noisy, worst first, before anything is measured. */
    default void warned(List<Finding> warnings) {}

    /** What the user is to know of the server: what will be written to it, or that the run waits for it. */
    default void noted(String note) {}

    /** The run has ended by itself, and its schedule asked for a precision: what has become of it, condition by condition. */
    void precise(List<Manifest.ConditionPrecision> conditions);
}
