package dev.blobmark.cli;

import dev.blobmark.lab.conduct.Listener;
import dev.blobmark.lab.machine.Finding;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The progress of several runs that share one limit of time: what is done is the time that has passed. */
final class AdviceProgress implements Listener {

    private final RunProgress shown;
    private long last = System.nanoTime();
    private boolean hasWarned;

    AdviceProgress(RunProgress shown, Duration limit) {
        this.shown = shown;
        shown.runStarted(Path.of(""), limit);
    }

    @Override
    public void runStarted(Path directory, Duration expected) {
        pass();
    }

    @Override
    public void stepStarted(String step) {
        pass();
        shown.stepStarted(step);
    }

    @Override
    public void workDone(double expectedSeconds) {
        pass();
    }

    @Override
    public void workAdded(double expectedSeconds) {
        pass();
    }

    private void pass() {
        long now = System.nanoTime();
        shown.workDone((now - last) / 1e9);
        last = now;
    }

    @Override
    public void sampleRecorded(Sample sample) {
        shown.sampleRecorded(sample);
    }

    /** Once: each run checks the machine. */
    @Override
    public void noiseFound(List<Finding> warnings) {
        if (!hasWarned) {
            shown.noiseFound(warnings);
            hasWarned = !warnings.isEmpty();
        }
    }

    @Override
    public void noticeIssued(String notice) {
        shown.noticeIssued(notice);
    }

    @Override
    public void precisionReported(List<Manifest.ConditionPrecision> conditions) {}
}
