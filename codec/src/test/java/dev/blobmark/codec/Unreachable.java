package dev.blobmark.codec;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/** Waits for the garbage collector. */
final class Unreachable {

    private Unreachable() {}

    /** Until something is in the queue, for at most 100 collections. */
    static Reference<?> await(ReferenceQueue<?> queue) throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            System.gc();
            Reference<?> next = queue.remove(100);
            if (next != null) return next;
        }
        throw new AssertionError("still reachable after 100 collections");
    }
}
