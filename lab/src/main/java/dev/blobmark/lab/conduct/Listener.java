package dev.blobmark.lab.conduct;

import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Trial;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Receives the events of a run. Calls come from one thread at a time. They must return soon, because the run waits for
 * them.
 */
public interface Listener {

    /** The run has a directory, and an estimate of its duration. */
    void runStarted(Path directory, Duration expected);

    /** A step has begun, in words for the user: {@code loading sites 64 KB as zstd:3}. */
    void stepStarted(String step);

    /**
     * A trial is measured next, once more.
     *
     * @param name for the user
     * @param rounds how often the schedule has it measured
     */
    default void trialStarted(Trial trial, String name, int rounds) {
        stepStarted("measuring " + name);
    }

    /** A part of the work is done. The seconds are those of the estimate, not the actual ones. */
    void workDone(double expectedSeconds);

    /** Forks are added beyond the estimate of {@link #runStarted}, with their expected seconds. */
    void workAdded(double expectedSeconds);

    void sampleRecorded(Sample sample);

    /** The machine was checked before measuring: what makes figures noisy, worst first. */
    default void noiseFound(List<Finding> warnings) {}

    /** A message for the user about the server: what will be written to it, or why the run waits for it. */
    default void noticeIssued(String notice) {}

    /** The run was not interrupted, and its schedule has a precision: the precision reached for each condition. */
    void precisionReported(List<Manifest.ConditionPrecision> conditions);
}
