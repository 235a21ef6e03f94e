package dev.blobmark.lab.engine;

/** Some of a trial's operations in flight: one on a thread of its own, or many over a client that blocks no thread. */
interface Worker extends Runnable {

    /** The means of its service times while it warms up, which others may read meanwhile. */
    SubWindows warmUpSubWindows();

    /** What it did in the window; to be called when it has ended. */
    Account account();
}
