package dev.blobmark.report;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.GradedClaim;
import dev.blobmark.analysis.GradedClaim.Comparison;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.study.Size;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The data of a run in the page. The rankings are those of the JSON report; each has a {@link RankingPart}.
 *
 * @param parts a part for each ranking
 * @param tables behind the rankings
 */
record PageRun(
        @JsonUnwrapped Head head,
        @JsonUnwrapped Reading reading,
        JsonRankings.ReportForm report,
        List<RankingPart> parts,
        List<SideTable> tables,
        List<ClaimForm> claims,
        List<LinkDocument.Curves> forecasts,
        @JsonUnwrapped Data data) {

    /**
     * The first lines of the page.
     *
     * @param label distinguishes the run from others
     * @param question of the study
     * @param headline the answer in a sentence
     */
    record Head(String label, String question, String headline) {}

    /** @param warnings about all figures */
    record Reading(Map<String, String> facts, String legend, List<Note> warnings) {}

    /**
     * The data of charts and tables.
     *
     * @param amounts by factor and level, of levels that are amounts: bytes of a size, bits per second of a link
     * @param metrics of the rows
     * @param manifest as JSON; {@code null} if there is none
     */
    record Data(
            Map<String, Map<String, Double>> amounts,
            List<MetricForm> metrics,
            @JsonRawValue String manifest,
            PackedRows rows) {}

    /**
     * What the page shows with a ranking.
     *
     * @param name in the choice of rankings
     * @param tiers all methods in a line; empty for less than two methods
     * @param table the columns, including those that a terminal leaves out
     * @param curves for each method, pairs of a percentile and nanoseconds
     * @param allowsEqual whether the noise floor is so low that methods may be called equal
     */
    record RankingPart(
            String name,
            List<String> caption,
            Optional<String> tiers,
            List<Column> table,
            List<Note> notes,
            List<String> givesUp,
            Map<String, List<double[]>> curves,
            boolean allowsEqual,
            boolean higherIsBetter) {}

    /** @param claimed the published figure; empty if the claim names none */
    record ClaimForm(
            String id,
            String grade,
            String says,
            String source,
            String metric,
            String claimed,
            String evidence,
            List<ComparisonForm> comparisons) {}

    record ComparisonForm(
            String sides,
            String condition,
            String figure,
            String grade,
            double ratio,
            Optional<Double> low,
            Optional<Double> high) {}

    /**
     * A metric of Blobmark or of another tool.
     *
     * @param kind decides the units in which it can be shown
     * @param column of the rows
     * @param unit of another tool's score; empty for a metric of Blobmark
     */
    record MetricForm(String id, String name, String kind, String column, String unit, boolean isBetterHigh) {

        private static MetricForm of(Metric metric) {
            String kind = switch (metric.unit()) {
                case BYTES_PER_SECOND -> "rate";
                case PER_SECOND, PER_OPERATION -> "count";
                case NANOS, NANOS_PER_OPERATION -> "time";
                case BYTES, BYTES_PER_OPERATION -> "bytes";
                case NONE -> "ratio";
            };
            return new MetricForm(
                    metric.word(),
                    metric.noun() + (metric.unit().isPerOperation() ? " per operation" : ""),
                    kind,
                    metric.field(),
                    "",
                    metric.higherIsBetter());
        }

        static MetricForm ofScore(String column, String name, String unit, boolean isBetterHigh) {
            return new MetricForm(column, name, "score", column, unit, isBetterHigh);
        }
    }

    static PageRun of(Analysis report) {
        Manifest manifest = report.manifest();
        JsonRankings.ReportForm form = JsonRankings.form(report);
        return new PageRun(
                new Head(
                        manifest.study().name() + ", "
                                + Figures.minute(manifest.progress().startedAt()) + ", "
                                + Captions.servers(manifest.servers().values().stream()),
                        manifest.study().question(),
                        Headline.of(report)),
                new Reading(RunFacts.of(report), Captions.legend(report), warnings(report)),
                form,
                parts(report),
                SideTable.of(report),
                report.claims().stream().map(PageRun::form).toList(),
                LinkDocument.curves(report),
                new Data(
                        amounts(report.samples()),
                        Stream.of(Metric.values()).map(MetricForm::of).toList(),
                        manifest.toJson(),
                        PackedRows.of(CsvTable.rows(report))));
    }

    /** The runs with distinct labels: equal labels are numbered. */
    static List<PageRun> apart(List<PageRun> runs) {
        List<PageRun> apart = new ArrayList<>();
        for (PageRun run : runs) {
            String label = run.head.label;
            for (int n = 2; apart.stream().map(other -> other.head.label).anyMatch(label::equals); n++) {
                label = run.head.label + " (" + n + ")";
            }
            apart.add(run.called(label));
        }
        return apart;
    }

    private PageRun called(String label) {
        return new PageRun(
                new Head(label, head.question, head.headline), reading, report, parts, tables, claims, forecasts, data);
    }

    private static List<RankingPart> parts(Analysis report) {
        Set<String> varying = Answer.varying(
                report.rankings().stream().map(Ranking::condition).toList());
        varying.remove("workload");
        return report.rankings().stream()
                .map(ranking -> part(report, ranking, name(ranking, varying)))
                .toList();
    }

    private static RankingPart part(Analysis report, Ranking ranking, String name) {
        Map<String, List<double[]>> curves = new LinkedHashMap<>();
        ranking.rows().stream()
                .filter(row -> !row.latencies().curve().isEmpty())
                .forEach(row -> curves.put(
                        row.method(),
                        row.latencies().curve().stream()
                                .map(point -> new double[] {point.percentile(), point.nanos()})
                                .toList()));
        return new RankingPart(
                name,
                Captions.of(report, ranking),
                TierText.of(ranking),
                RankingTable.columns(ranking),
                RankingNotes.of(ranking),
                CostText.of(ranking, report.manifest().study()),
                curves,
                ranking.margin().allowsEqual(),
                ranking.metric().higherIsBetter());
    }

    /** {@code fetch: 64 KB, 4 threads}: the levels in which conditions differ. */
    private static String name(Ranking ranking, Set<String> varying) {
        List<String> levels = Figures.levels(ranking.condition().only(varying::contains));
        return Captions.title(ranking)
                + (levels.isEmpty() ? "" : ": " + String.join(", ", levels))
                + ranking.sizes()
                        .map(sizes -> ", values of " + Captions.words(sizes))
                        .orElse("");
    }

    private static List<Note> warnings(Analysis report) {
        Manifest manifest = report.manifest();
        List<Note> warnings = new ArrayList<>();
        if (!report.isWhole()) {
            warnings.add(new Note("!", "Not whole: " + RunFacts.of(report).get("Samples"), Tone.ALARM));
        }
        report.damage().forEach(file -> warnings.add(new Note("!", file, Tone.ALARM)));
        counted(report, Outcome.Failed.class, "failed", Tone.ALARM, warnings);
        counted(report, Outcome.Unavailable.class, "unavailable here", Tone.FACT, warnings);
        counted(report, Outcome.Unsteady.class, "not steady when their warm-up ended", Tone.WARNING, warnings);
        counted(report, Outcome.Saturated.class, "not at the rate asked for", Tone.WARNING, warnings);
        rankings(
                report,
                ranking ->
                        ranking.controlJudgement().filter(Judgement::isCalled).isPresent(),
                "the intervals do not hold: the control, a twin of the baseline, came out different",
                Tone.ALARM,
                warnings);
        rankings(
                report,
                ranking -> !ranking.margin().allowsEqual(),
                "the noise floor is so high that nothing is called equal",
                Tone.WARNING,
                warnings);
        manifest.servers().values().stream()
                .filter(server -> server.isEmbedded() && server.speaksSql() && !server.isMySql())
                .findFirst()
                .ifPresent(server -> warnings.add(new Note(
                        "!",
                        Captions.server(server)
                                + " is an embedded stand-in, not MySQL: run the study with --server on yours"
                                + " before you decide",
                        Tone.WARNING)));
        manifest.machine()
                .quiet()
                .warnings()
                .forEach(finding -> warnings.add(
                        new Note("!", "noise: " + finding.what() + ": " + finding.observed(), Tone.WARNING)));
        report.undecided().ifPresent(undecided -> warnings.add(new Note("·", Captions.words(undecided), Tone.FACT)));
        if (report.floorIsUnknown()) {
            warnings.add(new Note("±", RankingNotes.NO_CONTROL, Tone.FACT));
        }
        return warnings;
    }

    /** One warning for all rankings that match. */
    private static void rankings(
            Analysis report, Predicate<Ranking> which, String what, Tone tone, List<Note> warnings) {
        long matching = report.rankings().stream().filter(which).count();
        if (matching > 0) {
            warnings.add(new Note(
                    "!",
                    "under " + matching + " of "
                            + Figures.plural(report.rankings().size(), "condition") + " " + what,
                    tone));
        }
    }

    private static void counted(
            Analysis report, Class<? extends Outcome> outcome, String words, Tone tone, List<Note> warnings) {
        List<Sample> samples = report.samples().stream()
                .filter(sample -> outcome.isInstance(sample.outcome()))
                .toList();
        if (!samples.isEmpty()) {
            warnings.add(new Note(
                    outcome == Outcome.Failed.class ? "✗" : outcome == Outcome.Unavailable.class ? "–" : "~",
                    Figures.plural(samples.size(), "sample") + " " + words + ", of "
                            + Figures.enumerate(samples.stream()
                                    .map(Sample::method)
                                    .distinct()
                                    .toList()),
                    tone));
        }
    }

    private static ClaimForm form(GradedClaim claim) {
        return new ClaimForm(
                claim.claim().id(),
                claim.grade().word(),
                claim.claim().says(),
                claim.claim().source(),
                claim.claim().metric().word(),
                ClaimTables.claimed(claim.claim().relation()).orElse(""),
                ClaimTables.evidence(claim),
                claim.comparisons().stream()
                        .map(comparison -> form(claim, comparison))
                        .toList());
    }

    private static ComparisonForm form(GradedClaim claim, Comparison comparison) {
        Optional<Interval.Range> range = Judgement.rangeOf(comparison.effect());
        return new ComparisonForm(
                comparison.sides(),
                String.join(", ", Figures.levels(comparison.condition())),
                ClaimTables.figure(claim.claim(), comparison),
                comparison.grade().word(),
                comparison.effect().ratio(),
                range.map(Interval.Range::low),
                range.map(Interval.Range::high));
    }

    private static Map<String, Map<String, Double>> amounts(List<Sample> samples) {
        Map<String, Map<String, Double>> amounts = new TreeMap<>();
        samples.stream().map(Sample::condition).distinct().forEach(condition -> {
            condition
                    .find(Size.FACTOR)
                    .filter(size -> size.matches("\\d+(KB|MB|GB)?"))
                    .ifPresent(size -> amounts.computeIfAbsent("size", factor -> new TreeMap<>())
                            .put(size, (double) Size.FACTOR.parse(size).bytes()));
            condition
                    .find(Link.FACTOR)
                    .ifPresent(link -> Link.FACTOR
                            .parse(link)
                            .down()
                            .ifPresent(bytes -> amounts.computeIfAbsent("link", factor -> new TreeMap<>())
                                    .put(link, 8 * bytes)));
        });
        return amounts;
    }
}
