package dev.blobmark.lab.conduct;

import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Receives the events of a run. Calls come from one thread at a time. They must return soon, since the run waits. */
public interface Listener {

    /** The run has a directory, and an estimate of its duration. */
    void runStarted(Path directory, Duration expected);

    /** A step has begun, in words for the user: {@code loading sites 64 KB as zstd:3}. */
    void stepStarted(String step);

    /** A part of the work is done. The seconds are those that the estimate has for it, not those that it took. */
    void workDone(double expectedSeconds);

    /** Forks are added beyond the estimate of {@link #runStarted}, with their expected seconds. */
    void workAdded(double expectedSeconds);

    void sampleRecorded(Sample sample);

    /** The machine was checked before anything was measured: what makes figures noisy, worst first. */
    default void noiseFound(List<Finding> warnings) {}

    /** Something the user should know about the server: what will be written to it, or why the run waits for it. */
    default void noticeIssued(String notice) {}

    /** The run has ended by itself, and its schedule asks for a precision: the result for each condition. */
    void precisionReported(List<Manifest.ConditionPrecision> conditions);
}
