package dev.blobmark.stats;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import java.util.LinkedHashMap;
import java.util.List;
import org.apache.commons.statistics.descriptive.Mean;

/**
 * The result of one round of a trial, in any unit of measurement.
 *
 * @param block number of the block
 * @param fork number of the JVM that measured it; of the pass, if blocks are repeated
 * @param round number of the round; a trial may be visited more than once in it
 * @param value positive and finite, because effects are ratios
 */
public record Figure(int block, int fork, int round, double value) {

    public Figure {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(
                    "block " + block + ", fork " + fork + ", round " + round + ": " + value
                            + " has no ratio to other figures; give positive, finite figures, and leave out rounds that have none");
        }
    }

    /** One figure for each round of a trial, in the order of the rounds: the geometric mean of the round's visits. */
    public static List<Figure> averaged(List<Figure> figures) {
        return figures.stream()
                .collect(groupingBy(f -> new Figure(f.block, f.fork, f.round, 1), LinkedHashMap::new, toList()))
                .values()
                .stream()
                .map(Figure::averagedVisits)
                .toList();
    }

    private static Figure averagedVisits(List<Figure> visits) {
        Figure first = visits.get(0);
        return visits.size() == 1
                ? first
                : new Figure(
                        first.block,
                        first.fork,
                        first.round,
                        Math.exp(Mean.of(visits.stream()
                                        .mapToDouble(visit -> Math.log(visit.value))
                                        .toArray())
                                .getAsDouble()));
    }
}
