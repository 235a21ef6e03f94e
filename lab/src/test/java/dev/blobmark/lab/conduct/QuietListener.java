package dev.blobmark.lab.conduct;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Hears nothing, unless a test overrides some of it. */
public class QuietListener implements Listener {

    @Override
    public void started(Path directory, Duration expected) {}

    @Override
    public void doing(String what) {}

    @Override
    public void done(double expectedSeconds) {}

    @Override
    public void added(double expectedSeconds) {}

    @Override
    public void measured(Sample sample) {}

    @Override
    public void precise(List<Manifest.ConditionPrecision> conditions) {}
}
