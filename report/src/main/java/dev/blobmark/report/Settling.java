package dev.blobmark.report;

import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Verdict;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What would settle what a run has left open: ties with the best, and methods that are neither different from the baseline nor equal to it.
 *
 * <p>Each is settled by as many more forks as make its interval narrower than the difference that was seen, or than what is called equal: from the variance
 * seen, so that it is about right for half of them. A fork takes as long as those that were measured.
 *
 * @param open comparisons that are left open
 * @param forks how many more settle all of them
 * @param schedule the forks, and the rounds, of a run that has these too
 * @param time what these take
 */
record Settling(int open, int forks, Schedule schedule, Duration time) {

    /** Of a run: its forks, and all of their rounds. */
    record Schedule(int forks, int rounds) {}

    /** Longer runs are not proposed: the remedy is a quieter machine, or a coarser question. */
    private static final Duration MOST = Duration.ofHours(12);

    /** A fork's own start, which is in no sample. */
    private static final double FORK_SECONDS = 1;

    /** Empty where nothing is left open, or where nothing is known of how it varies. */
    static Optional<Settling> of(Collection<Ranking> rankings, List<Sample> samples, double equalWithin) {
        List<Judgement> open = rankings.stream()
                .filter(ranking -> ranking.sizes().isEmpty())
                .flatMap(ranking -> Stream.concat(
                        ranking.toBest().stream()
                                .filter(its -> ranking.rivals().contains(its.method()) && !isEqual(its)),
                        ranking.rows().stream()
                                .filter(row -> !ranking.control().equals(Optional.of(row.method())))
                                .flatMap(row -> row.toBaseline().stream())
                                .filter(its -> its.verdict() instanceof Verdict.Inconclusive)))
                .filter(judgement -> judgement.spread().isPresent())
                .toList();
        if (open.isEmpty()) {
            return Optional.empty();
        }
        int forks = open.stream()
                .mapToInt(judgement -> judgement.spread().orElseThrow().moreUnitsFor(target(judgement, equalWithin)))
                .max()
                .orElse(0);
        long measured = samples.stream()
                .map(sample -> List.of(sample.block(), sample.fork()))
                .distinct()
                .count();
        long blocks = samples.stream().map(Sample::block).distinct().count();
        int before = count(samples, Sample::fork);
        int all = before + Math.max(1, forks);
        Schedule schedule = new Schedule(all, all * Math.max(1, count(samples, Sample::round) / before));
        double seconds = samples.stream().mapToDouble(Settling::seconds).sum() / measured + FORK_SECONDS;
        return Optional.of(new Settling(open.size(), forks, schedule, Duration.ofSeconds((long)
                Math.ceil(Math.max(1, forks) * seconds * blocks))));
    }

    private static int count(List<Sample> samples, Function<Sample, Integer> number) {
        return (int) samples.stream().map(number).distinct().count();
    }

    private static boolean isEqual(Judgement judgement) {
        return judgement.verdict() instanceof Verdict.Equal;
    }

    /** Whatever is easier: to see the difference that was seen, or that there is none that matters. */
    private static double target(Judgement judgement, double equalWithin) {
        double seen = Math.exp(Math.abs(Math.log(judgement.effect().ratio()))) - 1;
        return Math.max(Math.max(seen * 0.9, equalWithin), 0.001);
    }

    private static double seconds(Sample sample) {
        return sample.warmUp().map(Sample.WarmUp::seconds).orElse(0.0)
                + sample.elapsedNanos().orElse(0) / 1e9;
    }

    /** {@code 3 comparisons are left open; about 6 more minutes would settle them: the same run with --forks 12 --rounds 12}. */
    String words() {
        String what = open == 1 ? "1 comparison is left open" : Figures.count(open) + " comparisons are left open";
        if (time.compareTo(MOST) > 0) {
            return what + "; it would take more than " + MOST.toHours()
                    + " hours to settle " + (open == 1 ? "it" : "all of them")
                    + ": a quieter machine helps more, 'blobmark doctor' looks into it.";
        }
        long minutes = Math.max(1, (time.toSeconds() + 59) / 60);
        return what + "; about " + Figures.plural(minutes, "more minute") + " would settle "
                + (open == 1 ? "it" : "them") + ": " + command();
    }

    /** How to measure for so long: the only place that has it. */
    private String command() {
        return "the same run with --forks " + schedule.forks() + " --rounds " + schedule.rounds();
    }
}
