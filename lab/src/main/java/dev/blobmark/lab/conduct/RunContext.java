package dev.blobmark.lab.conduct;

import dev.blobmark.lab.machine.KeepAwake;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Objects that all parts of a run share.
 *
 * @param awake keeps the processors awake; empty if the user does not want that
 * @param scratch a private directory for the user's own values
 */
record RunContext(
        StudyPlan plan,
        RunRecord record,
        StopSignal stop,
        Listener listener,
        Optional<KeepAwake> awake,
        Path scratch) {}
