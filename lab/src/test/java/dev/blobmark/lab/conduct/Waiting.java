package dev.blobmark.lab.conduct;

import java.util.concurrent.Callable;

/** Waiting for what another thread, or a server, is about to do. */
public final class Waiting {

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
            Thread.onSpinWait();
        }
    }
}
