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
 * All that the page knows of a run, in the form in which it stands in the page. The rankings are those of the JSON report; what is
 * beside them has one entry for each.
 *
 * @param beside of each ranking
 * @param tables those that stand behind the rankings
 */
record PageRun(
        @JsonUnwrapped Head head,
        @JsonUnwrapped Reading reading,
        JsonRankings.ReportForm report,
        List<RankingPart> beside,
        List<SideTable> tables,
        List<ClaimForm> claims,
        List<LinkDocument.Curves> forecasts,
        @JsonUnwrapped Data data) {

    /**
     * What the page begins with.
     *
     * @param label what it is called beside others
     * @param question of the study
     * @param headline the answer in a sentence
     */
    record Head(String label, String question, String headline) {}

    /** @param warnings what weakens all of its figures */
    record Reading(Map<String, String> facts, String legend, List<Note> warnings) {}

    /**
     * What charts and tables are made of.
     *
     * @param amounts by factor and level, of levels that are amounts: bytes of a size, bits per second of a link
     * @param metrics what its rows have figures of
     * @param manifest as JSON; {@code null} where it has none
     */
    record Data(
            Map<String, Map<String, Double>> amounts,
            List<MetricForm> metrics,
            @JsonRawValue String manifest,
            PackedRows rows) {}

    /**
     * What stands beside a ranking.
     *
     * @param name what it is called where one is chosen
     * @param tiers all methods in a line; empty where there is nothing to say of more than one
     * @param table its columns as in a terminal, all of them
     * @param curves by method: pairs of a percentile and nanoseconds
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

    /** @param claimed the published figure; empty where the claim names none */
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
     * A metric, ours or another tool's.
     *
     * @param kind which units it may be shown in
     * @param column of the rows
     * @param unit of a score of another tool; empty for ours
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
                        headline(report)),
                new Reading(RunFacts.of(report), Captions.legend(report), warnings(report)),
                form,
                beside(report),
                SideTable.of(report),
                report.claims().stream().map(PageRun::form).toList(),
                LinkDocument.curves(report),
                new Data(
                        amounts(report.samples()),
                        Stream.of(Metric.values()).map(MetricForm::of).toList(),
                        manifest.toJson(),
                        PackedRows.of(CsvTable.rows(report))));
    }

    /** Runs that are called differently, each: by number where they are not. */
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
                new Head(label, head.question, head.headline),
                reading,
                report,
                beside,
                tables,
                claims,
                forecasts,
                data);
    }

    /** The answer, and what it was measured on. */
    private static String headline(Analysis report) {
        String servers = Captions.servers(report.manifest().servers().values().stream());
        List<String> links = report.manifest().links();
        String place = (servers.isEmpty() ? "" : "On " + servers)
                + (servers.isEmpty() || links.size() != 1 ? "" : ", over " + links.get(0));
        return (place.isEmpty() ? "" : place + ": ") + Answer.overall(report.rankings(), Answer.all(report));
    }

    private static List<RankingPart> beside(Analysis report) {
        Set<String> varying = Answer.varying(
                report.rankings().stream().map(Ranking::condition).toList());
        varying.remove("workload");
        return report.rankings().stream()
                .map(ranking -> beside(report, ranking, name(ranking, varying)))
                .toList();
    }

    private static RankingPart beside(Analysis report, Ranking ranking, String name) {
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

    /** {@code fetch: 64 KB, 4 threads}: by what conditions differ in. */
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
        report.undecided().ifPresent(its -> warnings.add(new Note("·", Captions.words(its), Tone.FACT)));
        if (report.floorIsUnknown()) {
            warnings.add(new Note("±", RankingNotes.NO_CONTROL, Tone.FACT));
        }
        return warnings;
    }

    /** One warning for all rankings that deserve it. */
    private static void rankings(
            Analysis report, Predicate<Ranking> which, String what, Tone tone, List<Note> warnings) {
        long its = report.rankings().stream().filter(which).count();
        if (its > 0) {
            warnings.add(new Note(
                    "!",
                    "under " + its + " of " + Figures.plural(report.rankings().size(), "condition") + " " + what,
                    tone));
        }
    }

    private static void counted(
            Analysis report, Class<? extends Outcome> outcome, String words, Tone tone, List<Note> warnings) {
        List<Sample> its = report.samples().stream()
                .filter(sample -> outcome.isInstance(sample.outcome()))
                .toList();
        if (!its.isEmpty()) {
            warnings.add(new Note(
                    outcome == Outcome.Failed.class ? "✗" : outcome == Outcome.Unavailable.class ? "–" : "~",
                    Figures.plural(its.size(), "sample") + " " + words + ", of "
                            + Figures.enumerate(
                                    its.stream().map(Sample::method).distinct().toList()),
                    tone));
        }
    }

    private static ClaimForm form(GradedClaim each) {
        return new ClaimForm(
                each.claim().id(),
                each.grade().word(),
                each.claim().says(),
                each.claim().source(),
                each.claim().metric().word(),
                ClaimTables.claimed(each.claim().relation()).orElse(""),
                ClaimTables.evidence(each),
                each.comparisons().stream()
                        .map(comparison -> form(each, comparison))
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
