package dev.blobmark.analysis;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Looks;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.Spread;
import dev.blobmark.stats.Verdict;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What would decide the open comparisons of a run: methods that are neither different from the baseline nor equal to
 * it.
 *
 * <p>A comparison is decided by the number of forks that makes its interval narrower than the observed difference, or
 * than what is called equal. The number follows from the observed variance, so that it suffices for about half of the
 * comparisons. Forks are counted to the next look ({@link Looks}), and are assumed to take as long as the measured
 * ones.
 *
 * @param open number of open comparisons
 * @param forks of a run that decides them, at most
 * @param time of the missing forks, if the run is resumed
 * @param canBeResumed whether the run can be given more forks
 */
public record Undecided(int open, int forks, Duration time, boolean canBeResumed) {

    /** Longer runs are not proposed: a quieter machine or a coarser question helps more. */
    public static final Duration MOST = Duration.ofHours(12);

    /** Time to start a fork, and the server with its tables; samples do not include it. */
    private static final double FORK_SECONDS = 2;

    private static final double SERVER_SECONDS = 15;

    /**
     * Empty if nothing is open, or if the variance is unknown.
     *
     * @param rankings of whole conditions
     */
    public static Optional<Undecided> of(Collection<Ranking> rankings, List<Sample> samples, Manifest manifest) {
        Confidence confidence = Rankings.confidence(manifest);
        double seconds = 0;
        int mostForks = 0;
        int open = 0;
        for (Ranking ranking : rankings) {
            List<Judgement> judgements = open(ranking);
            if (judgements.isEmpty()) {
                continue;
            }
            open += judgements.size();
            List<Sample> measured = samples.stream()
                    .filter(sample -> sample.condition().equals(ranking.condition()))
                    .toList();
            int forks = (int) measured.stream().map(Sample::fork).distinct().count();
            int more = judgements.stream()
                    .mapToInt(judgement -> whenDecided(judgement.spread().orElseThrow(), confidence)
                            .moreUnitsFor(target(judgement)))
                    .max()
                    .orElse(1);
            int look = forks;
            while (look < forks + Math.max(1, more)) {
                look = Looks.after(look);
            }
            mostForks = Math.max(mostForks, look);
            seconds += (look - forks)
                    * (FORK_SECONDS
                            + measured.stream().mapToDouble(Sample::seconds).sum() / forks);
        }
        return open == 0
                ? Optional.empty()
                : Optional.of(new Undecided(
                        open,
                        mostForks,
                        Duration.ofSeconds((long) Math.ceil(SERVER_SECONDS + seconds)),
                        canBeResumed(manifest)));
    }

    /** A run cannot be resumed if names are redacted, runs are merged, or servers take turns. */
    private static boolean canBeResumed(Manifest manifest) {
        return !Redaction.isRedacted(manifest.study())
                && manifest.sources().isEmpty()
                && manifest.plan().servers().stream().distinct().count() < 2;
    }

    private static List<Judgement> open(Ranking ranking) {
        return Stream.of(ranking)
                .filter(whole -> whole.sizes().isEmpty())
                .flatMap(whole -> whole.rows().stream())
                .filter(row -> !ranking.control().equals(Optional.of(row.method())))
                .flatMap(row -> row.toBaseline().stream())
                .filter(judgement -> judgement.verdict() instanceof Verdict.Inconclusive
                        && judgement.spread().isPresent())
                .toList();
    }

    /** The spread at the level for repeated looks, which allows fewer errors at each look. */
    private static Spread whenDecided(Spread spread, Confidence confidence) {
        return new Spread(
                spread.deviation(),
                spread.freedom(),
                spread.tail() * confidence.whenDecided().share() / confidence.share(),
                spread.units());
    }

    /** The easier target: the observed difference, or that there is no relevant one. */
    private static double target(Judgement judgement) {
        double seen = Math.exp(Math.abs(Math.log(judgement.effect().ratio()))) - 1;
        return Math.max(0.9 * seen, Margin.MAX_NOISE - seen);
    }
}
