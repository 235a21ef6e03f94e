package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.TimeSpent;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * What most of an operation's time is spent on: to make that faster helps most.
 *
 * @param share of the service time, up to 1
 */
public record Bottleneck(Kind kind, double share) {

    /** What there is to wait for. */
    public enum Kind {
        /** All of waiting and transfer that no emulated link accounts for: the server, and the real network to it. */
        SERVER("server"),
        /** What an emulated link has held back. */
        LINK("link"),
        /** The driver, and copying. */
        CLIENT("client"),
        /** The codec in the application. */
        DECODE("decode"),
        /** A connection of the pool. */
        POOL("pool");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    /**
     * What an operation takes longer.
     *
     * @param nanos more than before
     */
    public record Growth(Kind kind, double nanos) {}

    /** Of where the time went, which is more than none. */
    public static Bottleneck of(TimeSpent time) {
        return Stream.of(Kind.values())
                .map(kind -> new Bottleneck(kind, nanos(kind, time) / time.total()))
                .max(Comparator.comparingDouble(Bottleneck::share))
                .orElseThrow();
    }

    /** What has grown most between the two. */
    static Growth growth(TimeSpent before, TimeSpent after) {
        return Stream.of(Kind.values())
                .map(kind -> new Growth(kind, nanos(kind, after) - nanos(kind, before)))
                .max(Comparator.comparingDouble(Growth::nanos))
                .orElseThrow();
    }

    private static double nanos(Kind kind, TimeSpent time) {
        return switch (kind) {
            case SERVER -> time.waiting() + time.transfer() - time.link();
            case LINK -> time.link();
            case CLIENT -> time.client();
            case DECODE -> time.decode();
            case POOL -> time.pool();
        };
    }

    /** As a table has it: what, and how much of the time. */
    @Override
    public String toString() {
        return kind.word + " " + Math.round(100 * share) + " %";
    }
}
