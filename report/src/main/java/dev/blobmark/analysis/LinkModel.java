package dev.blobmark.analysis;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.measurement.TimeSpent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The time of a fetch over other links, by the parts of its time over the machine's own link: waiting is longer by one
 * round trip, the value is received at the speed of the slower of link and machine, and the driver works before and
 * after. Times are in nanoseconds, bytes per operation.
 *
 * @param waiting for the first byte
 * @param receiving after the first byte
 * @param rest driver, codec, pool, and unexplained time
 * @param bytesIn received
 * @param bytesOut sent
 * @param applicationBytes of the decoded values
 * @param threads operations in flight, which share the link
 */
public record LinkModel(
        double waiting,
        double receiving,
        double rest,
        double bytesIn,
        double bytesOut,
        double applicationBytes,
        int threads) {

    private static final double LEAST_BYTES_PER_SECOND = 1e5;
    private static final double MOST_BYTES_PER_SECOND = 1.2e10;
    private static final int STEPS = 400;
    private static final int HALVINGS = 40;

    /** A model of measurements over the machine's own link; empty if the parts of the time are not known for all. */
    public static Optional<LinkModel> of(List<Operations> measured, int threads) {
        Optional<TimeSpent> time = TimeSpent.mean(measured);
        if (measured.isEmpty()
                || time.isEmpty()
                || measured.stream()
                        .anyMatch(operations -> operations.wireBytesIn().isEmpty())) {
            return Optional.empty();
        }
        TimeSpent spent = time.get();
        return Optional.of(new LinkModel(
                spent.waiting(),
                spent.transfer(),
                spent.client() + spent.decode() + spent.pool() + spent.unexplained(),
                perOperation(measured, operations -> operations.wireBytesIn().orElseThrow()),
                perOperation(measured, operations -> operations.wireBytesOut().orElseThrow()),
                perOperation(measured, Operations::applicationBytes),
                threads));
    }

    private static double perOperation(List<Operations> measured, ToDoubleFunction<Operations> bytes) {
        return measured.stream().mapToDouble(bytes).sum()
                / measured.stream().mapToLong(Operations::count).sum();
    }

    /** Nanoseconds of one operation that has the link to itself. */
    public double nanos(Link link) {
        double up = link.up().isPresent() ? bytesOut / link.up().getAsDouble() * 1e9 : 0;
        double down = link.down().isPresent() ? bytesIn / link.down().getAsDouble() * 1e9 : 0;
        return waiting + link.roundTrip().toNanos() + up + Math.max(receiving, down) + rest;
    }

    /** Application bytes per second of all threads. */
    public double throughput(Link link) {
        double own = threads * applicationBytes / nanos(link) * 1e9;
        return link.down().isPresent() ? Math.min(own, link.down().getAsDouble() * applicationBytes / bytesIn) : own;
    }

    /**
     * Bandwidths, in bytes per second and rising, at which two methods are equally fast over a link of some round trip.
     */
    List<Double> crossings(LinkModel other, Link link) {
        List<Double> found = new ArrayList<>();
        double step = Math.log(MOST_BYTES_PER_SECOND / LEAST_BYTES_PER_SECOND) / STEPS;
        double low = LEAST_BYTES_PER_SECOND;
        for (int i = 1; i <= STEPS; i++) {
            double high = LEAST_BYTES_PER_SECOND * Math.exp(i * step);
            if (lead(other, link, low) * lead(other, link, high) < 0) {
                found.add(root(other, link, low, high));
            }
            low = high;
        }
        return found;
    }

    private double root(LinkModel other, Link link, double from, double to) {
        double low = from;
        double high = to;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = Math.sqrt(low * high);
            if (lead(other, link, low) * lead(other, link, middle) <= 0) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return Math.sqrt(low * high);
    }

    private double lead(LinkModel other, Link link, double bytesPerSecond) {
        Link at = link.withBandwidth(bytesPerSecond);
        return Math.log(throughput(at) / other.throughput(at));
    }
}
