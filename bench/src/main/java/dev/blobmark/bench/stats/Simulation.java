package dev.blobmark.bench.stats;

import dev.blobmark.stats.Bimodality;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Figure;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Looks;
import dev.blobmark.stats.Margin;
import dev.blobmark.stats.MethodComparisons;
import dev.blobmark.stats.Percentile;
import dev.blobmark.stats.Precision;
import dev.blobmark.stats.RatioVariances;
import dev.blobmark.stats.Ratios;
import dev.blobmark.stats.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Simulates studies whose true effects are known, and prints how often the laboratory's statistics are right, as
 * Markdown tables: {@code bench/run dev.blobmark.bench.stats.Simulation [STUDIES [SEED [together | claimed | decided |
 * ROUND FORK]]]}. The same arguments give the same tables. With {@code together}, {@code claimed} or {@code decided},
 * only one table is printed. ROUND and FORK are deviations of one arm's figures between rounds and between forks, as
 * measured on a machine (0.02 is 2 %). With them, only the table of what it takes to find 3 % at ± 1 % is printed.
 */
public final class Simulation {

    private static final Margin NO_MARGIN = Margin.of(0);

    private final int studies;
    private final long seed;
    private boolean firstRow;

    /** @param studies number of studies per figure; with 2,000, a coverage of 95 % is known to ± 1 % */
    public Simulation(int studies, long seed) {
        this.studies = studies;
        this.seed = seed;
    }

    public static void main(String[] args) {
        Simulation simulation = new Simulation(
                args.length > 0 ? Integer.parseInt(args[0]) : 2_000, args.length > 1 ? Long.parseLong(args[1]) : 42);
        if (args.length == 4) {
            simulation.printPrecision(List.of(
                    new Noise("as measured", Double.parseDouble(args[2]), Double.parseDouble(args[3]), 0, 0, 0, 0, 0)));
            return;
        }
        if (args.length == 3 && args[2].equals("together")) {
            simulation.printSimultaneous();
            return;
        }
        if (args.length == 3 && args[2].equals("claimed")) {
            simulation.printClaimed();
            return;
        }
        if (args.length == 3 && args[2].equals("decided")) {
            simulation.printDeciding();
            return;
        }
        simulation.printCoverage();
        simulation.printSimultaneous();
        simulation.printClaimed();
        simulation.printPower();
        simulation.printDeciding();
        simulation.printPrecision(Noise.ALL);
        simulation.printStopping();
        simulation.printPercentiles();
        simulation.printBimodality();
    }

    /** The share of A/A studies whose interval contains the true ratio, 1. */
    public double coverage(IntervalRule rule, Noise noise, int forks, int rounds) {
        UniformRandomProvider random = random();
        return share(() -> {
            Ratios ratios =
                    new Machine(noise, random, 0, 0).run(forks, rounds).ratios().get(0);
            double[] bounds = rule.bounds(ratios, random);
            return bounds[0] <= 0 && 0 <= bounds[1];
        });
    }

    /**
     * The share of studies with {@code methods} twins of the baseline in which at least one is called faster or slower.
     */
    public double falseVerdicts(Noise noise, int forks, int rounds, int methods, Confidence confidence) {
        UniformRandomProvider random = random();
        return share(() -> new Machine(noise, random, new double[methods + 1])
                .run(forks, rounds).ratios().stream()
                        .map(ratios -> Verdict.of(Effect.of(ratios, confidence).interval(), true, NO_MARGIN))
                        .anyMatch(verdict -> verdict instanceof Verdict.Faster || verdict instanceof Verdict.Slower));
    }

    /** The share of studies that find a method faster which is faster by {@code effect} (0.03 for 3 %). */
    public double power(Noise noise, int forks, int rounds, double effect, Confidence confidence) {
        UniformRandomProvider random = random();
        return share(() -> {
            Ratios ratios = new Machine(noise, random, 0, Math.log1p(effect))
                    .run(forks, rounds)
                    .ratios()
                    .get(0);
            return Verdict.of(Effect.of(ratios, confidence).interval(), true, NO_MARGIN) instanceof Verdict.Faster;
        });
    }

    /**
     * The results of studies that stop at a precision.
     *
     * @param coverage share of studies whose intervals all contain the true ratio
     * @param found share of methods that were called faster
     * @param reached share of studies that stopped because all intervals were narrow, not because of their budget
     * @param meanForks mean number of forks of a study
     */
    public record Stopped(double coverage, double found, double reached, double meanForks) {}

    /**
     * Simulates studies of methods that are faster by {@code effect}, which add forks until all reach the precision.
     */
    public Stopped stopped(Precision precision, Noise noise, int rounds, int methods, double effect, int maxForks) {
        UniformRandomProvider random = random();
        double[] logEffects = new double[methods + 1];
        Arrays.fill(logEffects, 1, methods + 1, Math.log1p(effect));
        int covered = 0;
        int found = 0;
        int reached = 0;
        long totalForks = 0;
        for (int study = 0; study < studies; study++) {
            Machine machine = new Machine(noise, random, logEffects).run(Precision.MIN_UNITS, rounds);
            int forks = Precision.MIN_UNITS;
            while (forks < maxForks
                    && precision.next(comparisons(machine, precision)) instanceof Precision.Next.MeasureMore more) {
                int added = Math.min(more.units(), maxForks - forks);
                machine.run(added, rounds);
                forks += added;
            }
            totalForks += forks;
            List<Interval> intervals = comparisons(machine, precision).stream()
                    .map(comparison -> comparison.effect().interval())
                    .toList();
            reached += precision.next(comparisons(machine, precision)) instanceof Precision.Next.Enough ? 1 : 0;
            covered +=
                    intervals.stream().allMatch(interval -> ((Interval.Range) interval).contains(1 + effect)) ? 1 : 0;
            found += (int) intervals.stream()
                    .filter(interval -> Verdict.of(interval, true, NO_MARGIN) instanceof Verdict.Faster)
                    .count();
        }
        double n = studies;
        return new Stopped(covered / n, found / n / methods, reached / n, totalForks / n);
    }

    private static List<MethodComparisons.Comparison> comparisons(Machine machine, Precision precision) {
        return new MethodComparisons(machine.figures(), precision.confidence()).to("0");
    }

    /**
     * Simulates studies that add forks until each method is faster, slower or equal within the usual margin. In the
     * result, {@code found} is the share of methods that were called faster or slower, and {@code reached} that of
     * studies in which all were decided.
     */
    public Stopped decided(Noise noise, int forks, int rounds, int methods, double effect, int maxForks) {
        UniformRandomProvider random = random();
        double[] logEffects = new double[methods + 1];
        Arrays.fill(logEffects, 1, methods + 1, Math.log1p(effect));
        int covered = 0;
        long called = 0;
        int reached = 0;
        long totalForks = 0;
        for (int study = 0; study < studies; study++) {
            Machine machine = new Machine(noise, random, logEffects).run(forks, rounds);
            int done = forks;
            while (isUndecided(machine) && Looks.after(done) <= maxForks) {
                machine.run(Looks.after(done) - done, rounds);
                done = Looks.after(done);
            }
            totalForks += done;
            reached += isUndecided(machine) ? 0 : 1;
            List<MethodComparisons.Comparison> comparisons = deciding(machine);
            covered += comparisons.stream()
                            .allMatch(each -> ((Interval.Range) each.effect().interval()).contains(1 + effect))
                    ? 1
                    : 0;
            called += comparisons.stream()
                    .map(Simulation::verdict)
                    .filter(verdict -> verdict instanceof Verdict.Faster || verdict instanceof Verdict.Slower)
                    .count();
        }
        double n = studies;
        return new Stopped(covered / n, called / n / methods, reached / n, totalForks / n);
    }

    private static List<MethodComparisons.Comparison> deciding(Machine machine) {
        return new MethodComparisons(machine.figures(), Confidence.USUAL.whenDecided()).to("0");
    }

    private static boolean isUndecided(Machine machine) {
        return deciding(machine).stream().anyMatch(comparison -> verdict(comparison) instanceof Verdict.Inconclusive);
    }

    private static Verdict verdict(MethodComparisons.Comparison comparison) {
        return Verdict.of(comparison.effect(), true, Margin.of(Margin.USUAL));
    }

    /**
     * The results of simultaneous intervals of several methods, in studies of twins.
     *
     * @param before share of studies whose intervals to the baseline all contain the true ratio, with Student's t and
     *     Bonferroni's correction
     * @param together the same share with the laboratory's intervals
     * @param each share of the laboratory's intervals that contain the true ratio
     * @param pairs share of studies in which no two twins are distinguished, by all pairs and by comparisons with the
     *     best
     * @param widthBefore mean half-width of the intervals to the baseline on the logarithm, with Bonferroni's
     *     correction
     * @param width the same half-width of the laboratory's intervals
     */
    public record Simultaneous(
            double before, double together, double each, double pairs, double widthBefore, double width) {}

    /** @param methods number of methods, including the baseline */
    public Simultaneous simultaneous(Noise noise, int forks, int rounds, int methods) {
        UniformRandomProvider random = random();
        Confidence bonferroni = Confidence.USUAL.among(methods - 1);
        Tally tally = new Tally();
        int pairs = 0;
        for (int study = 0; study < studies; study++) {
            Machine machine = new Machine(noise, random, new double[methods]).run(forks, rounds);
            MethodComparisons comparisons = new MethodComparisons(machine.figures(), Confidence.USUAL);
            List<MethodComparisons.Comparison> toBaseline = comparisons.to("0");
            tally.add(
                    machine.ratios().stream()
                            .map(ratios -> Effect.of(ratios, bonferroni))
                            .toList(),
                    toBaseline.stream()
                            .map(MethodComparisons.Comparison::effect)
                            .toList());
            pairs += comparisons.tiers(ranked(toBaseline), 0).groups().size() == 1 ? 1 : 0;
        }
        return tally.with(pairs);
    }

    /** Intervals of a claim over several comparisons: Student's t with Bonferroni, and moderated variances. */
    private Tally claimed(Noise noise, int forks, int rounds, int comparisons) {
        UniformRandomProvider random = random();
        Confidence confidence = Confidence.USUAL.among(comparisons);
        Tally tally = new Tally();
        for (int study = 0; study < studies; study++) {
            Map<String, List<Figure>> figures = new Machine(noise, random, new double[2 * comparisons])
                    .run(forks, rounds)
                    .figures();
            List<Ratios> all = IntStream.range(0, comparisons)
                    .mapToObj(i -> Ratios.byRound(figures.get("" + 2 * i), figures.get("" + (2 * i + 1))))
                    .toList();
            RatioVariances variances = RatioVariances.of(all);
            tally.add(
                    all.stream().map(ratios -> Effect.of(ratios, confidence)).toList(),
                    all.stream()
                            .map(ratios -> variances.effect(ratios, confidence))
                            .toList());
        }
        return tally;
    }

    /** Counts intervals of studies of twins, computed by two methods. */
    private static final class Tally {
        private int studies;
        private int intervals;
        private int before;
        private int together;
        private int each;
        private double widthBefore;
        private double width;

        void add(List<Effect> old, List<Effect> now) {
            studies++;
            intervals += now.size();
            before += covering(old) == old.size() ? 1 : 0;
            together += covering(now) == now.size() ? 1 : 0;
            each += covering(now);
            widthBefore += halfWidth(old);
            width += halfWidth(now);
        }

        private static int covering(List<Effect> effects) {
            return (int) effects.stream()
                    .filter(effect -> ((Interval.Range) effect.interval()).contains(1))
                    .count();
        }

        private static double halfWidth(List<Effect> effects) {
            return effects.stream()
                    .map(effect -> (Interval.Range) effect.interval())
                    .mapToDouble(range -> Math.log(range.high() / range.low()) / 2)
                    .average()
                    .orElseThrow();
        }

        /** @param pairs number of studies in which no two twins are distinguished */
        Simultaneous with(int pairs) {
            double n = studies;
            return new Simultaneous(
                    before / n, together / n, (double) each / intervals, pairs / n, widthBefore / n, width / n);
        }
    }

    private void printClaimed() {
        title("Comparisons of a claim, each of two methods of its own, in 5 forks: intervals that cover the truth");
        row(
                "noise",
                "comparisons",
                "visits",
                "all, Student",
                "all, moderated",
                "each",
                "half-width, Student",
                "moderated");
        Stream.concat(Noise.ALL.stream(), Noise.UNLIKE.stream()).forEach(noise -> printClaimed(noise, 2));
        Noise.OF_VISITS.forEach(noise -> printClaimed(noise, 20));
    }

    private void printClaimed(Noise noise, int visits) {
        for (int comparisons : new int[] {3, 12}) {
            Tally found = claimed(noise, 5, visits, comparisons);
            row(
                    noise.name(),
                    "" + comparisons,
                    "" + visits,
                    percent(found.before / (double) found.studies),
                    percent(found.together / (double) found.studies),
                    percent(found.each / (double) found.intervals),
                    percent(Math.expm1(found.widthBefore / found.studies)),
                    percent(Math.expm1(found.width / found.studies)));
        }
    }

    /** The methods, the fastest first. */
    private static List<String> ranked(List<MethodComparisons.Comparison> toBaseline) {
        Map<String, Double> effects = new HashMap<>(Map.of("0", 1.0));
        toBaseline.forEach(comparison ->
                effects.put(comparison.method(), comparison.effect().ratio()));
        return effects.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * The share of studies that find one of several methods faster, which is faster by {@code effect}; the others are
     * twins of the baseline.
     */
    public double powerAmong(Noise noise, int forks, int rounds, int methods, double effect) {
        UniformRandomProvider random = random();
        double[] logEffects = new double[methods + 1];
        logEffects[1] = Math.log1p(effect);
        return share(() -> new MethodComparisons(
                        new Machine(noise, random, logEffects)
                                .run(forks, rounds)
                                .figures(),
                        Confidence.USUAL)
                .to("0").stream()
                        .limit(1)
                        .map(comparison -> Verdict.of(comparison.effect().interval(), true, NO_MARGIN))
                        .anyMatch(Verdict.Faster.class::isInstance));
    }

    /**
     * The shares of studies whose interval of a percentile contains the true percentile over all possible forks: the
     * laboratory's interval, and the percentile bootstrap of forks. Latencies are log-normal with a deviation of 30 %.
     * Forks differ by 5 %, and have 2,000 operations each.
     */
    public double[] percentileCoverage(double percent, int forks) {
        UniformRandomProvider random = random();
        ZigguratSampler.NormalizedGaussian normal = ZigguratSampler.NormalizedGaussian.of(random);
        double z = NormalDistribution.of(0, 1).inverseCumulativeProbability(percent / 100);
        double truth = 100_000 * Math.exp(Math.hypot(0.3, 0.05) * z);
        int jackknife = 0;
        int bootstrap = 0;
        for (int study = 0; study < studies; study++) {
            List<Histogram> byFork = new ArrayList<>();
            for (int fork = 0; fork < forks; fork++) {
                Histogram latencies = new Histogram(3);
                double forkLog = 0.05 * normal.sample();
                for (int operation = 0; operation < 2_000; operation++) {
                    latencies.recordValue((long) (100_000 * Math.exp(forkLog + 0.3 * normal.sample())));
                }
                byFork.add(latencies);
            }
            Percentile found = Percentile.of(byFork.stream().map(List::of).toList(), percent, Confidence.USUAL);
            jackknife += ((Interval.Range) found.interval()).contains(truth) ? 1 : 0;
            double[] resampled = new double[199];
            for (int i = 0; i < resampled.length; i++) {
                Histogram merged = new Histogram(3);
                for (int fork = 0; fork < forks; fork++) {
                    merged.add(byFork.get(random.nextInt(forks)));
                }
                resampled[i] = merged.getValueAtPercentile(percent);
            }
            Arrays.sort(resampled);
            bootstrap += resampled[4] <= truth && truth <= resampled[194] ? 1 : 0;
        }
        return new double[] {jackknife / (double) studies, bootstrap / (double) studies};
    }

    /**
     * The share of series that are mistaken for two levels. They have n figures, normal with this coefficient of
     * variation around one level.
     */
    public double falseLevels(int n, double variation) {
        UniformRandomProvider random = random();
        ZigguratSampler.NormalizedGaussian normal = ZigguratSampler.NormalizedGaussian.of(random);
        return share(() -> Bimodality.find(DoubleStream.generate(
                                () -> 20_000 * Math.max(0.01, 1 + variation * normal.sample()))
                        .limit(n)
                        .toArray())
                .isPresent());
    }

    /** Like {@link #falseLevels}, with a level that falls steadily by half. */
    public double falseLevelsOfDrift(int n, double variation) {
        UniformRandomProvider random = random();
        ZigguratSampler.NormalizedGaussian normal = ZigguratSampler.NormalizedGaussian.of(random);
        return share(() -> Bimodality.find(IntStream.range(0, n)
                        .mapToDouble(i -> (20_000 - 10_000.0 * i / n) * Math.max(0.01, 1 + variation * normal.sample()))
                        .toArray())
                .isPresent());
    }

    /** The share of series in which two levels are found: n figures around 10,000 (two of five) and 36,000. */
    public double foundLevels(int n, double variation) {
        UniformRandomProvider random = random();
        ZigguratSampler.NormalizedGaussian normal = ZigguratSampler.NormalizedGaussian.of(random);
        return share(() -> Bimodality.find(IntStream.range(0, n)
                        .mapToDouble(
                                i -> (i % 5 < 2 ? 10_000 : 36_000) * Math.max(0.01, 1 + variation * normal.sample()))
                        .toArray())
                .isPresent());
    }

    private void printCoverage() {
        title("Coverage of 95 % intervals, two identical arms");
        row("noise", "forks × rounds", titles());
        for (Noise noise : Noise.ALL) {
            for (int[] schedule : new int[][] {{3, 2}, {3, 5}, {5, 1}, {5, 2}, {5, 5}, {10, 2}, {10, 5}}) {
                row(
                        noise.name(),
                        schedule[0] + " × " + schedule[1],
                        Arrays.stream(IntervalRule.values())
                                .map(rule -> percent(coverage(rule, noise, schedule[0], schedule[1])))
                                .toArray(String[]::new));
            }
        }
    }

    private void printSimultaneous() {
        Simulation fewer = fewer();
        fewer.title("Several twins at once: all intervals cover the truth, in % of the studies; half-widths in %");
        fewer.row(
                "noise",
                "methods",
                "forks × rounds",
                "t, Bonferroni",
                "together",
                "each",
                "none distinguished",
                "width, Bonferroni",
                "width");
        List<Noise> few =
                Stream.concat(Noise.ALL.stream(), Noise.UNLIKE.stream()).toList();
        fewer.simultaneousRows(few, 5, 1, 8, 17);
        fewer.simultaneousRows(few, 5, 2, 17);
        fewer.simultaneousRows(Noise.OF_VISITS, 4, 20, 17);
        fewer.simultaneousRows(Noise.OF_VISITS, 5, 20, 8, 17);
    }

    /** A simulation with fewer studies, because those of several methods take 20 times as long. */
    private Simulation fewer() {
        return new Simulation(Math.max(1, studies / 4), seed);
    }

    private void simultaneousRows(List<Noise> noises, int forks, int rounds, int... methods) {
        for (int count : methods) {
            for (Noise noise : noises) {
                Simultaneous found = simultaneous(noise, forks, rounds, count);
                row(
                        noise.name(),
                        "" + count,
                        forks + " × " + rounds,
                        percent(found.before()),
                        percent(found.together()),
                        percent(found.each()),
                        percent(found.pairs()),
                        percent(Math.expm1(found.widthBefore())),
                        percent(Math.expm1(found.width())));
            }
        }
    }

    private void printPower() {
        title("A method that is 3 % faster, found");
        row("noise", "forks × rounds", "alone", "among 16", "among 16, Bonferroni");
        for (Noise noise : List.of(Noise.INDEPENDENT, Noise.FORKS)) {
            for (int forks : new int[] {3, 5, 8, 10, 20, 30}) {
                row(
                        noise.name(),
                        forks + " × 2",
                        percent(power(noise, forks, 2, 0.03, Confidence.USUAL)),
                        percent(fewer().powerAmong(noise, forks, 2, 16, 0.03)),
                        percent(power(noise, forks, 2, 0.03, Confidence.USUAL.among(16))));
            }
        }
    }

    private void printPrecision(List<Noise> noises) {
        title("Stopping at ± 1 %, methods that are 3 % faster, 2 rounds in each fork, at most 150 forks");
        row("noise", "methods", "coverage", "found", "reached ± 1 %", "forks, mean");
        for (Noise noise : noises) {
            for (int methods : new int[] {1, 4}) {
                Precision precision = new Precision(0.01, Confidence.USUAL.among(methods));
                Stopped faster = (methods == 1 ? this : fewer()).stopped(precision, noise, 2, methods, 0.03, 150);
                row(
                        noise.name(),
                        "" + methods,
                        percent(faster.coverage()),
                        percent(faster.found()),
                        percent(faster.reached()),
                        "%.0f".formatted(faster.meanForks()));
            }
        }
    }

    private void printDeciding() {
        title("Until all is decided: looks after 5, 8, 12, … forks of 10 visits, at most 100 forks");
        row("noise", "methods", "effect", "coverage", "called", "all decided", "forks, mean");
        for (Noise noise : Noise.ALL) {
            for (int methods : new int[] {1, 8}) {
                for (double effect : new double[] {0, 0.05}) {
                    Stopped decided = (methods == 1 ? this : fewer()).decided(noise, 5, 10, methods, effect, 100);
                    row(
                            noise.name(),
                            "" + methods,
                            "%.0f %%".formatted(effect * 100),
                            percent(decided.coverage()),
                            percent(decided.found()),
                            percent(decided.reached()),
                            "%.0f".formatted(decided.meanForks()));
                }
            }
        }
    }

    private void printStopping() {
        title("Stopping at ± 1 %, by the deviation of a fork's ratio");
        row("deviation", "coverage", "forks, mean");
        for (double deviation : new double[] {0.007, 0.01, 0.012, 0.015, 0.02, 0.03, 0.04}) {
            Noise noise = new Noise("between forks", 0, deviation / Math.sqrt(2), 0, 0, 0, 0, 0);
            Stopped same = stopped(new Precision(0.01, Confidence.USUAL), noise, 1, 1, 0, 500);
            row("%.1f %%".formatted(deviation * 100), percent(same.coverage()), "%.0f".formatted(same.meanForks()));
        }
    }

    private void printPercentiles() {
        title("Coverage of 95 % intervals of percentiles, forks that differ by 5 %");
        row("percentile", "forks", "forks left out, t", "percentile bootstrap of forks");
        for (double percent : new double[] {50, 99}) {
            for (int forks : new int[] {3, 5, 10}) {
                double[] coverage = percentileCoverage(percent, forks);
                row("p%.0f".formatted(percent), "" + forks, percent(coverage[0]), percent(coverage[1]));
            }
        }
    }

    private void printBimodality() {
        title("Series taken for two levels");
        row("figures", "variation", "one level", "falls by half", "10,000 and 36,000");
        for (int n : new int[] {5, 6, 8, 10, 20, 50, 100}) {
            for (double variation : new double[] {0.05, 0.1, 0.2}) {
                row(
                        "" + n,
                        "%.0f %%".formatted(variation * 100),
                        percent(falseLevels(n, variation)),
                        percent(falseLevelsOfDrift(n, variation)),
                        percent(foundLevels(n, variation)));
            }
        }
    }

    private UniformRandomProvider random() {
        return RandomSource.XO_RO_SHI_RO_128_PP.create(seed);
    }

    private double share(BooleanSupplier study) {
        return IntStream.range(0, studies).filter(i -> study.getAsBoolean()).count() / (double) studies;
    }

    private static String[] titles() {
        return Arrays.stream(IntervalRule.values()).map(IntervalRule::title).toArray(String[]::new);
    }

    private void title(String title) {
        System.out.println("\n**" + title + "** (" + studies + " studies)\n");
        firstRow = true;
    }

    private void row(String first, String second, String... others) {
        List<String> cells = new ArrayList<>(List.of(first, second));
        cells.addAll(List.of(others));
        System.out.println(cells.stream().collect(Collectors.joining(" | ", "| ", " |")));
        if (firstRow) {
            System.out.println("| --- ".repeat(cells.size()) + "|");
            firstRow = false;
        }
    }

    private static String percent(double share) {
        return "%.1f".formatted(share * 100);
    }
}
