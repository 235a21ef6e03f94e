package dev.blobmark.lab.conduct;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Hears nothing, unless a test overrides some of it. */
public class QuietListener implements Listener {

    @Override
    public void runStarted(Path directory, Duration expected) {}

    @Override
    public void stepStarted(String what) {}

    @Override
    public void workDone(double expectedSeconds) {}

    @Override
    public void workAdded(double expectedSeconds) {}

    @Override
    public void sampleRecorded(Sample sample) {}

    @Override
    public void precisionReported(List<Manifest.ConditionPrecision> conditions) {}
}
