package dev.blobmark.lab.conduct;

import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waiting for what another thread, or a server, is about to do. */
public final class Waiting {

    private static final long POLL_NANOS = 1_000_000;

    private Waiting() {}

    /**
     * Asks until it is so. An interrupt ends it, and with it the time limit of a test: what never comes fails by its
     * name.
     */
    public static void until(Callable<Boolean> isSo) throws Exception {
        while (!isSo.call()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
