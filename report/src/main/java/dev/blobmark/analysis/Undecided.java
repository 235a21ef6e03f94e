package dev.blobmark.analysis;

import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Redaction;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.lab.stats.Looks;
import dev.blobmark.lab.stats.Margin;
import dev.blobmark.lab.stats.Spread;
import dev.blobmark.lab.stats.Verdict;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What would settle what a run has left open: methods that are neither different from the baseline nor equal to it.
 *
 * <p>Each is settled by as many more forks as make its interval narrower than the difference that was seen, or than what is called equal: from the variance
 * seen, so that it is about right for half of them. Forks are counted to the next look ({@link Looks}), and take as long as those that were measured.
 *
 * @param open comparisons that are left open
 * @param forks of a run that settles them, at most
 * @param time what the missing forks take, where the run goes on
 * @param canGoOn whether the run can be given more forks
 */
public record Undecided(int open, int forks, Duration time, boolean canGoOn) {

    /** Longer runs are not proposed: the remedy is a quieter machine, or a coarser question. */
    public static final Duration MOST = Duration.ofHours(12);

    /** A fork's own start, which is in no sample, and that of the server with its tables. */
    private static final double FORK_SECONDS = 2;

    private static final double SERVER_SECONDS = 15;

    /**
     * Empty where nothing is left open, or where nothing is known of how it varies.
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
                        canGoOn(manifest)));
    }

    /** Not where names are left out, several runs are put together, or servers take turns. */
    private static boolean canGoOn(Manifest manifest) {
        return !Redaction.isRedacted(manifest.study())
                && manifest.sources().isEmpty()
                && manifest.plan().servers().stream().distinct().count() < 2;
    }

    private static List<Judgement> open(Ranking ranking) {
        return Stream.of(ranking)
                .filter(its -> its.sizes().isEmpty())
                .flatMap(its -> its.rows().stream())
                .filter(row -> !ranking.control().equals(Optional.of(row.method())))
                .flatMap(row -> row.toBaseline().stream())
                .filter(its -> its.verdict() instanceof Verdict.Inconclusive
                        && its.spread().isPresent())
                .toList();
    }

    /** Figures that are looked at again may miss less often. */
    private static Spread whenDecided(Spread spread, Confidence confidence) {
        return new Spread(
                spread.deviation(),
                spread.freedom(),
                spread.tail() * confidence.whenDecided().share() / confidence.share(),
                spread.units());
    }

    /** Whatever is easier: to see the difference that was seen, or that there is none that matters. */
    private static double target(Judgement judgement) {
        double seen = Math.exp(Math.abs(Math.log(judgement.effect().ratio()))) - 1;
        return Math.max(0.9 * seen, Margin.MOST_NOISE - seen);
    }
}
