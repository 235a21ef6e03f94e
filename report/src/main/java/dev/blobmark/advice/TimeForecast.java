package dev.blobmark.advice;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.probe.CodecFigures.OfClass;
import java.util.function.ToDoubleFunction;

/**
 * Predicts times from their parts: the server's by the stored bytes, the link's by arithmetic, the codec's as measured
 * on the values. Size classes are predicted one by one and weighted by their share of the values.
 *
 * @param processors of the client, or of each host, which limit how many values are decoded at a time
 */
public record TimeForecast(ServerCurve curve, int processors) {

    /**
     * A load.
     *
     * @param threads operations in flight; at least as many as the curve was measured with
     * @param hosts over which they are distributed, each with a link and processors of its own; 1 for one client
     */
    public record ForecastLoad(Link link, int threads, int hosts) {}

    /** The values for which a time is predicted: a mean over some of the figures of a codec. */
    private interface Mean {
        double of(ToDoubleFunction<OfClass> figure);
    }

    /**
     * Nanoseconds between two fetches of one thread. With several threads, it is at least as long as the link or the
     * processors of a host need for all of its threads.
     */
    double readNanos(CodecFigures codec, ForecastLoad load) {
        return read(load, codec::mean);
    }

    /** The same for the values of one size class. */
    double readNanos(OfClass of, ForecastLoad load) {
        return read(load, figure -> figure.applyAsDouble(of));
    }

    private double read(ForecastLoad load, Mean mean) {
        double decoding = mean.of(OfClass::decodeNanos);
        double alone = mean.of(of -> curve.nanos(of.storedBytes(), load.link())) + decoding;
        double ofLink = mean.of(of -> curve.linkNanos(of.storedBytes(), load.link()));
        double cpu = mean.of(of -> curve.at(of.storedBytes()).cpuNanos()) + decoding;
        return Math.max(alone, (double) load.threads() / load.hosts() * Math.max(ofLink, cpu / processors));
    }

    /**
     * Nanoseconds that a write takes more than the commit and all else that every candidate needs: to encode a value
     * and to send it.
     */
    static double writeNanos(OfClass of, Link link) {
        double up = link.up().isPresent() ? of.storedBytes() / link.up().getAsDouble() * 1e9 : 0;
        return of.encodeNanos() + up;
    }

    static double writeNanos(CodecFigures codec, Link link) {
        return codec.mean(of -> writeNanos(of, link));
    }
}
