package dev.blobmark.reencode;

import java.util.Optional;

/** Something that the work must wait for. */
@FunctionalInterface
interface Signal {

    /**
     * Why the work must wait now; empty if it may continue. Must return at once.
     *
     * @throws StoppedException if the work must end
     */
    Optional<String> reasonToWait();
}
