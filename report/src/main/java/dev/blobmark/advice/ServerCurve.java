package dev.blobmark.advice;

import dev.blobmark.lab.link.Link;
import java.util.Comparator;
import java.util.List;

/**
 * The time that a server, its driver and the machine's own network need for a fetch, as a function of the stored bytes.
 * Between two points it is a straight line.
 *
 * @param threads operations in flight when it was measured
 * @param points from the smallest; at least two
 */
public record ServerCurve(int threads, List<SizePoint> points) {

    /**
     * A measured size of stored values. Times are in nanoseconds for one fetch.
     *
     * @param waiting for the first byte of the answer
     * @param receiving after the first byte
     * @param rest driver and all else
     * @param bytesIn on the wire
     * @param bytesOut on the wire
     * @param nanos threads ÷ operations per second
     * @param cpuNanos of the client's processors, and of the server's if it is on the same host
     */
    public record SizePoint(
            double bytes,
            double waiting,
            double receiving,
            double rest,
            double bytesIn,
            double bytesOut,
            double nanos,
            double cpuNanos) {

        private SizePoint between(SizePoint other, double at) {
            double share = (at - bytes) / (other.bytes - bytes);
            return new SizePoint(
                    at,
                    mix(waiting, other.waiting, share),
                    mix(receiving, other.receiving, share),
                    mix(rest, other.rest, share),
                    mix(bytesIn, other.bytesIn, share),
                    mix(bytesOut, other.bytesOut, share),
                    mix(nanos, other.nanos, share),
                    mix(cpuNanos, other.cpuNanos, share));
        }

        private static double mix(double from, double to, double share) {
            return Math.max(0, from + share * (to - from));
        }
    }

    public ServerCurve {
        points = points.stream()
                .sorted(Comparator.comparingDouble(SizePoint::bytes))
                .toList();
        if (points.size() < 2) {
            throw new IllegalArgumentException("a curve needs two points, not " + points.size());
        }
    }

    /** The point at some stored bytes; beyond the ends, the line of the last two points continues. */
    public SizePoint at(double bytes) {
        int i = 1;
        while (i < points.size() - 1 && points.get(i).bytes() < bytes) {
            i++;
        }
        return points.get(i - 1).between(points.get(i), bytes);
    }

    /** Nanoseconds of one fetch that has the link to itself, without decoding. */
    public double nanos(double bytes, Link link) {
        SizePoint point = at(bytes);
        double up = link.up().isPresent() ? point.bytesOut() / link.up().getAsDouble() * 1e9 : 0;
        double down = link.down().isPresent() ? point.bytesIn() / link.down().getAsDouble() * 1e9 : 0;
        return point.waiting() + link.roundTrip().toNanos() + up + Math.max(point.receiving(), down) + point.rest();
    }

    /** Nanoseconds per fetch of a link that is busy all the time. */
    public double linkNanos(double bytes, Link link) {
        return link.down().isPresent() ? at(bytes).bytesIn() / link.down().getAsDouble() * 1e9 : 0;
    }

    /** The largest ratio between this curve and another one at the other's points, at least 1. */
    public double difference(ServerCurve other) {
        return other.points().stream()
                .mapToDouble(point -> Math.abs(Math.log(at(point.bytes()).nanos() / point.nanos())))
                .map(Math::exp)
                .max()
                .orElseThrow();
    }
}
