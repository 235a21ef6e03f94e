package dev.blobmark.lab.link;

import java.util.concurrent.atomic.AtomicLong;

/** Heap by which the buffers of several connections may grow. */
final class Room {

    private final AtomicLong left;

    Room(long bytes) {
        left = new AtomicLong(bytes);
    }

    /** Takes a part of it; false if not that much is left. */
    boolean take(long bytes) {
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }

    void giveBack(long bytes) {
        left.addAndGet(bytes);
    }
}
