package dev.blobmark.lab.engine;

import java.util.List;

/** Some of a trial's operations in flight: one on a thread of its own, or many over a client that blocks no thread. */
interface Worker extends Runnable {

    /** The means of its service times while it warms up, which others may read meanwhile. */
    SubWindows warmUpSubWindows();

    /** What it did in the window, or in those of all visits since the account was begun; to be called between visits, or when it has ended. */
    Account account();

    /** Begins a new account; to be called between visits. */
    void renew();

    /** What it did in each of its visits since the account was begun, in their order; to be called between them, or when it has ended. */
    List<VisitAccount> visits();

    /** Operations of its visits that were not measured: those at their beginnings. */
    long settlingOperations();
}
