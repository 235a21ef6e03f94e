package dev.blobmark.lab.engine;

import java.util.List;

/**
 * Runs some of a trial's concurrent operations: one on its own thread, or many over a client that does not block
 * threads.
 */
interface Worker extends Runnable {

    /** Mean service times of the warm-up, which other threads may read while it runs. */
    SubWindows warmUpSubWindows();

    /**
     * The results of the window, or of all visits since the last {@link #renew}. To be called between visits or after
     * the end.
     */
    Account account();

    /** Begins a new account. To be called between visits. */
    void renew();

    /**
     * The results of each visit since the last {@link #renew}, in order. To be called between visits or after the end.
     */
    List<VisitAccount> visits();

    /** Operations at the beginnings of visits, which are not measured. */
    long settlingOperations();
}
