package dev.blobmark.lab.measurement;

import static dev.blobmark.lab.measurement.Amounts.requireAmount;

import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Where the service time of an operation went, on average, in nanoseconds. The first six add up to its mean.
 *
 * @param waiting from the last byte of a request to the first of its answer, all round trips of the operation together
 * @param transfer in calls of the socket that send, or receive after the first byte
 * @param client between calls of the socket: driver and copying
 * @param decode in the codec; of a write, encoding
 * @param pool for a connection of a pool
 * @param unexplained what is left: pauses before an operation is tried again, and looks at the clock
 * @param link how much of {@code waiting} and {@code transfer} an emulated link has held back what was there; 0 without
 *     one
 */
public record TimeSpent(
        double waiting, double transfer, double client, double decode, double pool, double unexplained, double link) {

    public TimeSpent {
        for (double part : new double[] {waiting, transfer, client, decode, pool, unexplained, link}) {
            requireAmount("time_ns", part);
        }
    }

    /** Of all parts, as long as the service time. */
    public double total() {
        return waiting + transfer + client + decode + pool + unexplained;
    }

    /** What all of those spent on average; empty where it is not known of all. */
    public static Optional<TimeSpent> mean(List<Operations> those) {
        if (those.isEmpty()
                || those.stream().anyMatch(measured -> measured.time().isEmpty())) {
            return Optional.empty();
        }
        return Optional.of(new TimeSpent(
                mean(those, TimeSpent::waiting),
                mean(those, TimeSpent::transfer),
                mean(those, TimeSpent::client),
                mean(those, TimeSpent::decode),
                mean(those, TimeSpent::pool),
                mean(those, TimeSpent::unexplained),
                mean(those, TimeSpent::link)));
    }

    private static double mean(List<Operations> those, ToDoubleFunction<TimeSpent> part) {
        return those.stream()
                        .mapToDouble(
                                measured -> part.applyAsDouble(measured.time().orElseThrow()) * measured.count())
                        .sum()
                / those.stream().mapToLong(Operations::count).sum();
    }
}
