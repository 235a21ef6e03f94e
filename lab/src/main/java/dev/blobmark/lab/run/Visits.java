package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The figures of the visits of a trial. Each list has an element per visit, in the order of time.
 *
 * @param settleMs time from the start of each visit to its window, in milliseconds
 * @param rounds the round of each visit, from 0. In each round, the trials are visited in a new order; a trial may be
 *     visited several times or not at all
 * @param operationsPerS operations of all types per second, of all workers together
 * @param bytesPerS application bytes per second
 * @param halves how much faster operations were in the second half of a window than in the first: the mean of the
 *     logarithms of the ratio, and its standard error; empty if fewer than two windows could be halved
 */
public record Visits(
        double settleMs,
        List<Integer> rounds,
        List<Double> operationsPerS,
        List<Double> bytesPerS,
        List<Double> halves) {

    /** Bits for the round of a visit in the round of its figure; enough for all visits of a fork. */
    private static final int ROUND_BITS = 16;

    /** Time to order a visit and to receive its end. */
    public static final double TURN_SECONDS = 0.001;

    public Visits {
        rounds = List.copyOf(rounds);
        operationsPerS = List.copyOf(operationsPerS);
        bytesPerS = List.copyOf(bytesPerS);
        halves = List.copyOf(halves);
        if (rounds.size() != operationsPerS.size() || rounds.size() != bytesPerS.size()) {
            throw new IllegalArgumentException("visits: " + rounds.size() + " rounds, " + operationsPerS.size()
                    + " and " + bytesPerS.size() + " rates; the three numbers must be equal");
        }
        if (rounds.stream().anyMatch(round -> round < 0 || round >= 1 << ROUND_BITS)) {
            throw new IllegalArgumentException("visits: rounds are numbered from 0 to " + ((1 << ROUND_BITS) - 1));
        }
    }

    @JsonIgnore
    public int count() {
        return rounds.size();
    }

    /** One number for a round of a block and a round of visits in it. */
    static int round(int blockRound, int visitRound) {
        return blockRound << ROUND_BITS | visitRound;
    }

    /** @param indexes of the visits to leave out */
    public Visits without(Set<Integer> indexes) {
        List<Integer> kept = IntStream.range(0, count())
                .filter(index -> !indexes.contains(index))
                .boxed()
                .toList();
        return new Visits(settleMs, at(kept, rounds), at(kept, operationsPerS), at(kept, bytesPerS), halves);
    }

    private static <T> List<T> at(List<Integer> indexes, List<T> list) {
        return indexes.stream().map(list::get).toList();
    }
}
