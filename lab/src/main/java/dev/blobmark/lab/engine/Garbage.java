package dev.blobmark.lab.engine;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * Collections of garbage in a JVM, as its collectors count them: those of concurrent collectors are only partly pauses.
 *
 * @param nanos how long they took, to the millisecond
 */
public record Garbage(long collections, long nanos) {

    static final Garbage NONE = new Garbage(0, 0);

    /** Of this JVM since it was started. */
    static Garbage sinceStart() {
        Garbage all = NONE;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            // either is -1 where a collector does not count
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
