package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Undecided;
import dev.blobmark.lab.client.ConnectionHandling;
import dev.blobmark.lab.run.Manifest.MeasuredServer;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Study;
import dev.blobmark.stats.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Captions of rankings and their parts, and how to read them. */
final class Captions {

    private Captions() {}

    /** How to read the figures and the intervals. */
    static String legend(Analysis run) {
        String baseline = run.manifest().study().baseline();
        List<Ranking> rankings = run.rankings();
        List<Interval.Range> intervals = rankings.stream()
                .flatMap(ranking -> ranking.anyRange().stream())
                .toList();
        boolean hasPercentiles = rankings.stream()
                .flatMap(ranking -> ranking.rows().stream())
                .anyMatch(row -> !row.percentiles().isEmpty());
        return "Figures are medians over the rounds"
                + (hasPercentiles ? "; p50 and p99 are of all operations together. " : ". ")
                + (intervals.isEmpty()
                        ? "range: from the lowest round to the highest, no confidence interval. "
                        : "to base: the mean ratio to " + baseline
                                + " in the same round, with an interval; all intervals of a table hold together with "
                                + Figures.percent(intervals.get(0).confidence().level())
                                + intervals.stream()
                                        .map(Interval.Range::unit)
                                        .distinct()
                                        .map(unit -> ", over " + unit.word() + "s: they cover variance " + unit.scope())
                                        .collect(Collectors.joining())
                                + ". equal: nothing beyond noise was seen, and the interval lies within the share that is stated, never less than "
                                + Figures.plusMinus(run.equalWithin())
                                + " and the noise floor; inconclusive: it reaches farther. tier: methods that share a letter cannot be distinguished. ")
                + (rankings.stream().anyMatch(Ranking::isOfSets)
                        ? "disk and memory: bytes a key, of the used pages of the table's file, and in the buffer pool or in Redis."
                        : "ratio: application ÷ stored bytes. disk: the used pages of the table's file, as a share of those of "
                                + baseline
                                + " for as many application bytes; empty where they were not counted. enc: application bytes that one core"
                                + " encodes in a second.")
                + (rankings.stream().flatMap(ranking -> ranking.rows().stream()).anyMatch(Captions::isInCluster)
                        ? " memory: bytes a value, in all data nodes of the cluster together, so that each replica counts."
                        : "")
                + " CPU and alloc: the client's, srv CPU and pages read: the server's, wire: both ways, per operation. most on: what most of an operation's time goes to. MB/s: 10⁶ bytes per second; KB: 1024 bytes."
                + (comparesPools(run.manifest().study())
                        ? " A connection that its thread keeps (thread-local) is not checked before use and has no time-out, a"
                                + " leak is not detected, and there are as many as threads. A pool takes time for these."
                        : "");
    }

    /** The words in a ranking that the legend explains at length. */
    static Optional<String> terms(Ranking ranking) {
        List<String> terms = new ArrayList<>();
        if (ranking.rows().stream().anyMatch(row -> row.toBaseline().isPresent())) {
            terms.add("to base: the ratio to " + ranking.baseline() + ", the baseline, with its interval.");
        }
        if (ranking.rows().stream()
                .anyMatch(row -> !ranking.tiers().letters(row.method()).isEmpty())) {
            terms.add("tier: methods that share a letter are tied.");
        }
        ranking.control()
                .ifPresent(control -> terms.add(control + ": " + ranking.baseline()
                        + " once more. The two are the same, so what sets them apart is the noise floor."));
        return terms.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", terms));
    }

    private static boolean isInCluster(Ranking.Row row) {
        return row.stored()
                .placement()
                .flatMap(placement -> placement.memoryBytes().stream().boxed().findFirst())
                .isPresent();
    }

    /** Whether some methods have a pool and others do not. */
    private static boolean comparesPools(Study study) {
        Set<Boolean> pooled = study.methods().stream()
                .flatMap(method -> method.levels().find(ConnectionHandling.FACTOR).stream())
                .map(connection -> connection.startsWith("hikari"))
                .collect(Collectors.toSet());
        return pooled.size() > 1;
    }

    /** Two lines: the condition of a ranking, then its servers and the number of samples. */
    static List<String> of(Analysis run, Ranking ranking) {
        List<Sample> samples = run.samples().stream()
                .filter(s -> s.condition().equals(ranking.condition()))
                .toList();
        String where = servers(samples.stream().flatMap(sample -> run.server(sample).stream()));
        if (ranking.sizes().isPresent()) {
            Ranking.SizeShare sizes = ranking.sizes().get();
            return List.of(
                    title(ranking) + " of values of " + words(sizes) + ": "
                            + Figures.percent(sizes.ofOperations()) + " of the operations, "
                            + Figures.percent(sizes.ofBytes()) + " of the bytes",
                    "rates over the time spent in them");
        }
        return List.of(
                title(ranking) + ": " + LevelWords.of(run).line(ranking.condition()),
                (where.isEmpty() ? "no server" : where) + "; " + Figures.plural(samples.size(), "sample") + ", "
                        + RunFacts.counts(samples)
                        + ranking.anyRange()
                                .map(range -> "; intervals for "
                                        + Figures.plural(range.confidence().comparisons(), "comparison") + " at once")
                                .orElse(""));
    }

    /** {@code fetch: 64 KB, 4 threads}: what distinguishes a ranking from others. */
    static String name(Ranking ranking, Set<String> varying, LevelWords words) {
        List<String> levels = words.of(ranking.condition().only(varying::contains));
        String operation = varying.contains(OPERATION) || levels.isEmpty() ? title(ranking) : "";
        return operation
                + (operation.isEmpty() || levels.isEmpty() ? "" : ": ")
                + String.join(", ", levels)
                + ranking.sizes().map(sizes -> ", values of " + words(sizes)).orElse("");
    }

    private static final String OPERATION = "operation";

    /** The factors that distinguish rankings by name: the operation stands for the workload. */
    static Set<String> distinguishing(List<Ranking> rankings) {
        Set<String> varying =
                Answer.varying(rankings.stream().map(Ranking::condition).toList());
        varying.remove("workload");
        if (rankings.stream().map(Captions::title).distinct().count() > 1) {
            varying.add(OPERATION);
        }
        return varying;
    }

    /** {@code MySQL 9.7.4 and MariaDB 11.4.5 embedded}. */
    static String servers(Stream<MeasuredServer> servers) {
        return servers.map(server -> server(server) + (server.isEmbedded() ? " embedded" : ""))
                .distinct()
                .collect(Collectors.joining(" and "));
    }

    /** {@code MySQL 9.7.4}. */
    static String server(MeasuredServer server) {
        return server.product() + " " + server.version().replace("-" + server.product(), "");
    }

    /** The operation: {@code fetch}. */
    static String title(Ranking ranking) {
        return Figures.operation(ranking.operation(), ranking.condition());
    }

    /** {@code 1 KB to 4 KB}; the upper end is excluded. */
    static String words(Ranking.SizeShare share) {
        return share.size().low() == 0
                ? "less than 1 KB"
                : Stream.of(share.size().toString().split("-"))
                        .map(Figures::size)
                        .collect(Collectors.joining(" to "));
    }

    /**
     * {@code 3 comparisons are left open; about 6 more minutes would settle them: blobmark run --resume RUN --budget
     * 6m}, or, if the run cannot be resumed, {@code a run with --forks 9 would settle them}.
     */
    static String words(Undecided undecided) {
        int open = undecided.open();
        String what = open == 1 ? "1 comparison is left open" : Figures.count(open) + " comparisons are left open";
        if (undecided.time().compareTo(Undecided.MOST) > 0) {
            return what + "; it would take more than " + Undecided.MOST.toHours()
                    + " hours to settle " + (open == 1 ? "it" : "all of them")
                    + ": a quieter machine helps more, 'blobmark doctor' looks into it.";
        }
        String settle = " would settle " + (open == 1 ? "it" : "them");
        if (!undecided.canBeResumed()) {
            return what + "; a run with --forks " + undecided.forks() + settle;
        }
        long minutes = Math.max(1, (undecided.time().toSeconds() + 59) / 60);
        return what + "; about " + Figures.plural(minutes, "more minute") + settle
                + ": blobmark run --resume RUN --budget " + minutes + "m";
    }
}
