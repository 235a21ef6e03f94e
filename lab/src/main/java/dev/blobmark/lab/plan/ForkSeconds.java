package dev.blobmark.lab.plan;

import dev.blobmark.lab.run.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.commons.statistics.descriptive.Median;

/** The duration of forks that have run, in seconds. */
final class ForkSeconds {

    private ForkSeconds() {}

    /** The measuring time, including the start of forks. */
    static double of(Collection<Sample> samples) {
        long forks = samples.stream().map(ForkOfBlock::of).distinct().count();
        return samples.stream().mapToDouble(Sample::seconds).sum() + forks * ofFork(samples);
    }

    /**
     * The time of a fork besides its samples: the start of its JVM, and visits that do not count. It is the median over
     * forks, measured until the next fork of the block begins, so that a pause before a resumed run has no effect. It
     * is at least {@link CostModel#FORK_SECONDS}.
     */
    static double ofFork(Collection<Sample> samples) {
        SortedMap<ForkOfBlock, List<Sample>> forks =
                samples.stream().collect(Collectors.groupingBy(ForkOfBlock::of, TreeMap::new, Collectors.toList()));
        List<Double> overhead = new ArrayList<>();
        forks.forEach((fork, measured) -> {
            List<Sample> next = forks.get(new ForkOfBlock(fork.block, fork.number + 1));
            if (next != null) {
                overhead.add(Duration.between(begin(measured), begin(next)).toMillis() / 1e3
                        - measured.stream().mapToDouble(Sample::seconds).sum());
            }
        });
        return overhead.isEmpty()
                ? CostModel.FORK_SECONDS
                : Math.max(
                        CostModel.FORK_SECONDS,
                        Median.withDefaults()
                                .evaluate(overhead.stream()
                                        .mapToDouble(Double::doubleValue)
                                        .toArray()));
    }

    private static Instant begin(List<Sample> samples) {
        return samples.stream()
                .map(sample -> sample.position().startedAt())
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    private record ForkOfBlock(int block, int number) implements Comparable<ForkOfBlock> {

        static ForkOfBlock of(Sample sample) {
            return new ForkOfBlock(sample.block(), sample.fork());
        }

        @Override
        public int compareTo(ForkOfBlock other) {
            return Comparator.comparingInt(ForkOfBlock::block)
                    .thenComparingInt(ForkOfBlock::number)
                    .compare(this, other);
        }
    }
}
