package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.TimeSpent;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The part that takes most of an operation's time.
 *
 * @param share of the service time, up to 1
 */
public record Bottleneck(TimePart kind, double share) {

    /** A part of an operation's time. */
    public enum TimePart {
        /** Waiting and transfer without the share of an emulated link: the server, and the real network to it. */
        SERVER("server"),
        /** The delay of an emulated link. */
        LINK("link"),
        /** The driver, including copying. */
        CLIENT("client"),
        /** Decoding in the application. */
        DECODE("decode"),
        /** Waiting for a connection of the pool. */
        POOL("pool");

        private final String word;

        TimePart(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    /**
     * The part of an operation that takes longer than before.
     *
     * @param nanos more than before
     */
    public record Growth(TimePart kind, double nanos) {}

    /** @param time with a positive sum */
    public static Bottleneck of(TimeSpent time) {
        return Stream.of(TimePart.values())
                .map(kind -> new Bottleneck(kind, nanos(kind, time) / time.total()))
                .max(Comparator.comparingDouble(Bottleneck::share))
                .orElseThrow();
    }

    /** The part that grew most. */
    static Growth growth(TimeSpent before, TimeSpent after) {
        return Stream.of(TimePart.values())
                .map(kind -> new Growth(kind, nanos(kind, after) - nanos(kind, before)))
                .max(Comparator.comparingDouble(Growth::nanos))
                .orElseThrow();
    }

    private static double nanos(TimePart kind, TimeSpent time) {
        return switch (kind) {
            case SERVER -> time.waiting() + time.transfer() - time.link();
            case LINK -> time.link();
            case CLIENT -> time.client();
            case DECODE -> time.decode();
            case POOL -> time.pool();
        };
    }

    /** {@code server 62 %}. */
    @Override
    public String toString() {
        return kind.word + " " + Math.round(100 * share) + " %";
    }
}
