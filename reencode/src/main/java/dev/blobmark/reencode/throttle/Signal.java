package dev.blobmark.reencode.throttle;

import dev.blobmark.reencode.failure.StoppedException;
import java.util.Optional;

/** Something that the work must wait for. */
@FunctionalInterface
public interface Signal {

    /**
     * Why the work must wait now; empty if it may continue. Must return at once.
     *
     * @throws StoppedException if the work must end
     */
    Optional<String> reasonToWait();
}
