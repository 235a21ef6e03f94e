package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The short windows in which a trial was measured, in turns with the others of its fork, while it stayed open. Lists have an element for
 * each visit, in their order in time.
 *
 * @param settleMs how long each visit had gone on before it was measured, in milliseconds
 * @param rounds the round of each visit, from 0: in each round the trials are visited in an order of its own, some of them more than
 *     once, others perhaps not at all
 * @param operationsPerS operations of all types per second, workers added up
 * @param bytesPerS their application bytes per second
 * @param halves of the visits whose windows could be cut in two: how much faster operations were in the second half, as the mean of the
 *     logarithms and its standard error; none where there were fewer than two such visits
 */
public record Visits(
        double settleMs,
        List<Integer> rounds,
        List<Double> operationsPerS,
        List<Double> bytesPerS,
        List<Double> halves) {

    /** Bits of the round of a visit, in the round of its figure: more than a fork has visits. */
    private static final int ROUND_BITS = 16;

    /** To order a visit, and to hear of its end. */
    public static final double TURN_SECONDS = 0.001;

    public Visits {
        rounds = List.copyOf(rounds);
        operationsPerS = List.copyOf(operationsPerS);
        bytesPerS = List.copyOf(bytesPerS);
        halves = List.copyOf(halves);
        if (rounds.size() != operationsPerS.size() || rounds.size() != bytesPerS.size()) {
            throw new IllegalArgumentException("visits: " + rounds.size() + " rounds, " + operationsPerS.size()
                    + " and " + bytesPerS.size() + " rates; there is one of each for a visit");
        }
        if (rounds.stream().anyMatch(round -> round < 0 || round >= 1 << ROUND_BITS)) {
            throw new IllegalArgumentException("visits: rounds are numbered from 0 to " + ((1 << ROUND_BITS) - 1));
        }
    }

    /** How many there were. */
    @JsonIgnore
    public int count() {
        return rounds.size();
    }

    /** The number, within a block, of the round of a visit in a round of the block. */
    static int round(int ofBlock, int ofVisit) {
        return ofBlock << ROUND_BITS | ofVisit;
    }

    /** All but those, by their places in the lists. */
    public Visits without(Set<Integer> places) {
        List<Integer> kept = IntStream.range(0, count())
                .filter(place -> !places.contains(place))
                .boxed()
                .toList();
        return new Visits(settleMs, at(kept, rounds), at(kept, operationsPerS), at(kept, bytesPerS), halves);
    }

    private static <T> List<T> at(List<Integer> places, List<T> list) {
        List<T> there = new ArrayList<>();
        new TreeSet<>(places).forEach(place -> there.add(list.get(place)));
        return there;
    }
}
