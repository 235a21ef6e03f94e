package dev.blobmark.lab.engine;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * Garbage collections of a JVM, as its collectors count them. For concurrent collectors, only a part of the time is
 * pauses.
 *
 * @param nanos their duration, to the millisecond
 */
public record Garbage(long collections, long nanos) {

    static final Garbage NONE = new Garbage(0, 0);

    /** Collections of this JVM since it was started. */
    static Garbage sinceStart() {
        Garbage all = NONE;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            // either is -1 if a collector does not count it
            all = all.plus(new Garbage(
                    Math.max(0, collector.getCollectionCount()),
                    Math.max(0, collector.getCollectionTime()) * 1_000_000));
        }
        return all;
    }

    Garbage plus(Garbage other) {
        return new Garbage(collections + other.collections, nanos + other.nanos);
    }

    Garbage since(Garbage before) {
        return new Garbage(collections - before.collections, nanos - before.nanos);
    }
}
