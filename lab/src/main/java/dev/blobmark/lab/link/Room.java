package dev.blobmark.lab.link;

import java.util.concurrent.atomic.AtomicLong;

/** Heap that the buffers of several connections may take beyond their initial sizes. */
final class Room {

    private final AtomicLong left;

    Room(long bytes) {
        left = new AtomicLong(bytes);
    }

    /** Takes bytes if that many are left; false if not. */
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
