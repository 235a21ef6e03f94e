package dev.blobmark.lab.conduct;

import dev.blobmark.lab.machine.KeepAwake;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What all parts of a run share.
 *
 * @param awake keeps the processors awake, if the user wants that
 * @param scratch a private directory for values of the user's own
 */
record RunContext(
        StudyPlan plan,
        RunRecord record,
        StopSignal stop,
        Listener listener,
        Optional<KeepAwake> awake,
        Path scratch) {}
