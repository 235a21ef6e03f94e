package dev.blobmark.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Bottleneck;
import dev.blobmark.analysis.ProjectedValues;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.analysis.Saturation;
import dev.blobmark.analysis.Summary;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.measurement.TimeSpent;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Study;
import dev.blobmark.mysql.table.Whole;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.OwnLevels;
import dev.blobmark.stats.Verdict;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** A report as JSON. {@code docs/report.md} describes the fields. Unknown values are null. */
final class JsonRankings {

    /** Raised when a field is removed or changes its meaning, and not when a field is added. */
    static final int SCHEMA = 1;

    static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private JsonRankings() {}

    static void write(Analysis report, Appendable out) throws IOException {
        out.append(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(form(report)))
                .append('\n');
    }

    /** A report; the fields of its study and its progress are at the same level. */
    record ReportForm(
            int schema,
            Program blobmark,
            @JsonUnwrapped StudyForm study,
            String answer,
            @JsonUnwrapped ProgressForm progress,
            double equalWithin,
            List<RankingForm> rankings,
            List<SaturationForm> saturation,
            List<OwnValuesForm> ownValues) {}

    record ProgressForm(String state, long samples, long plannedSamples) {}

    /** What each method would make of all of a user's values; the fields of the whole are at the same level. */
    record OwnValuesForm(
            Levels condition,
            String dataset,
            long measured,
            @JsonUnwrapped Whole whole,
            List<OwnMethodForm> methods) {}

    record OwnMethodForm(
            String method,
            OptionalDouble columnBytes,
            OptionalDouble diskBytes,
            OptionalDouble readNs,
            OptionalDouble wireBytes,
            OptionalDouble encodeNs) {}

    record StudyForm(
            String study,
            String profile,
            String metric,
            boolean higherIsBetter,
            String baseline,
            Optional<String> control) {}

    /** A ranking; the fields of its groups are at the same level. */
    record RankingForm(
            @JsonUnwrapped SubjectForm subject,
            String answer,
            OptionalDouble noiseFloor,
            OptionalDouble equalWithin,
            @JsonUnwrapped LeadForm lead,
            List<MethodForm> methods,
            List<UnrankedForm> unranked) {}

    record SubjectForm(
            Levels condition,
            String operation,
            String metric,
            Optional<SizesForm> sizes,
            Optional<ServerForm> server) {}

    record LeadForm(Optional<String> best, List<String> tiedWithBest, List<List<String>> tiers) {}

    record SaturationForm(Levels condition, String operation, List<Integer> threads, List<SaturatedForm> methods) {}

    /**
     * @param state {@code at}, {@code at-least} if a later step may have grown, {@code not-reached} or {@code unknown}
     * @param threads up to which the rate grew; null if unknown
     */
    record SaturatedForm(
            String method,
            String state,
            Optional<Integer> threads,
            String reason,
            OptionalDouble operationsPerS,
            OptionalDouble p95Ns,
            List<StepForm> steps) {}

    record StepForm(int from, int to, Optional<EstimateForm> rate, OptionalDouble noiseFloor, boolean isGrowth) {}

    record SizesForm(int lowBytes, int highBytes, double shareOfOperations, double shareOfBytes) {}

    record ServerForm(String kind, String product, String version) {}

    /**
     * A method; the fields of its groups are at the same level.
     *
     * @param toBest the ratio to the best method of the ranking
     * @param percentilesNs by metric
     * @param figures medians over the rounds, by {@link Metric#field()}
     */
    record MethodForm(
            String method,
            @JsonUnwrapped HeadlineForm headline,
            @JsonUnwrapped ComparedForm compared,
            Map<String, EstimateForm> percentilesNs,
            Map<String, Double> figures,
            Optional<TimeForm> timeNsPerOp,
            long operations,
            List<Double> sqlNodesOperationsPerS,
            @JsonUnwrapped JsonSpace stored,
            @JsonUnwrapped DoubtsForm doubts) {

        /** A method with nothing but a score. */
        static MethodForm ofScore(String method, double score, SpreadForm rounds, EstimateForm mean) {
            return new MethodForm(
                    method,
                    new HeadlineForm(score, rounds, Optional.of(mean), Optional.empty()),
                    new ComparedForm(Optional.empty(), Optional.empty(), Optional.empty()),
                    Map.of(),
                    Map.of(),
                    Optional.empty(),
                    rounds.count(),
                    List.of(),
                    JsonSpace.UNKNOWN,
                    new DoubtsForm(0, 0, Map.of()));
        }
    }

    record HeadlineForm(double figure, SpreadForm rounds, Optional<EstimateForm> mean, Optional<LevelsForm> levels) {}

    record ComparedForm(
            Optional<EstimateForm> toBaseline, Optional<VerdictForm> verdict, Optional<EstimateForm> toBest) {}

    record JsonSpace(
            OptionalDouble diskRatio,
            OptionalDouble diskShare,
            OptionalDouble encodedBytesPerS,
            OptionalDouble diskBytesPerKey,
            OptionalDouble diskUsedBytesPerKey,
            OptionalDouble memoryBytesPerKey,
            Optional<PlacementForm> placement) {

        private static final OptionalDouble NONE = OptionalDouble.empty();

        static final JsonSpace UNKNOWN = new JsonSpace(NONE, NONE, NONE, NONE, NONE, NONE, Optional.empty());
    }

    record DoubtsForm(int unsteadyRounds, int crashedRounds, Map<String, Integer> flags) {}

    record PlacementForm(
            OptionalDouble inRowShare,
            OptionalDouble inlineBytes,
            OptionalDouble mainMemoryBytesPerValue,
            OptionalDouble partsMemoryBytesPerValue) {}

    record TimeForm(
            double waiting,
            double transfer,
            double client,
            double decode,
            double pool,
            double unexplained,
            double link,
            String mostOn) {}

    record SpreadForm(int count, double median, double min, double max) {}

    /** @param noInterval why there is no interval; empty if there is */
    record EstimateForm(double value, Optional<IntervalForm> interval, String noInterval) {}

    record IntervalForm(double low, double high, double level, int comparisons, String unit, int units) {}

    record VerdictForm(String word, boolean negligible, String reason) {}

    record LevelsForm(double low, double high, double highShare) {}

    record UnrankedForm(String method, String outcome, String reason, int times, int rounds) {}

    static ReportForm form(Analysis report) {
        Study study = report.manifest().study();
        List<String> answers = Answer.all(report);
        List<RankingForm> rankings = Stream.iterate(0, i -> i < answers.size(), i -> i + 1)
                .map(i -> form(report, report.rankings().get(i), answers.get(i)))
                .toList();
        return new ReportForm(
                SCHEMA,
                report.manifest().blobmark(),
                new StudyForm(
                        study.name(),
                        study.profile(),
                        study.metric().word(),
                        study.metric().higherIsBetter(),
                        study.baseline(),
                        study.control()),
                Headline.of(report),
                new ProgressForm(
                        report.manifest().progress().state().word(),
                        report.samples().size(),
                        report.manifest().plan().samples()),
                report.equalWithin(),
                rankings,
                Saturation.of(report).stream().map(JsonRankings::form).toList(),
                ProjectedValues.of(report).stream().map(JsonRankings::form).toList());
    }

    private static OwnValuesForm form(ProjectedValues own) {
        return new OwnValuesForm(
                own.ranking().condition(),
                own.dataset().id(),
                own.dataset().count(),
                own.whole(),
                own.methods().stream()
                        .map(method -> new OwnMethodForm(
                                method.method(),
                                six(method.columnBytes()),
                                six(method.diskBytes()),
                                six(method.readNanos()),
                                six(method.wireBytes()),
                                six(method.encodeNanos())))
                        .toList());
    }

    private static SaturationForm form(Saturation saturation) {
        return new SaturationForm(
                saturation.condition(),
                saturation.operation(),
                saturation.threads(),
                saturation.methods().stream().map(JsonRankings::form).toList());
    }

    private static SaturatedForm form(Saturation.MethodSaturation method) {
        Saturation.Point point = method.point();
        return new SaturatedForm(
                method.method(),
                point.word(),
                point.threads(),
                point instanceof Saturation.Unknown unknown ? unknown.reason() : "",
                six(method.operationsPerSecond()),
                six(method.p95Nanos()),
                method.steps().stream()
                        .map(step -> new StepForm(
                                step.from(),
                                step.to(),
                                step.rate().map(JsonRankings::form),
                                finite(step.noiseFloor()),
                                step.isGrowth()))
                        .toList());
    }

    private static RankingForm form(Analysis report, Ranking ranking, String answer) {
        Optional<Sample> any = report.samples().stream()
                .filter(sample -> sample.condition().equals(ranking.condition()))
                .findFirst();
        return new RankingForm(
                new SubjectForm(
                        ranking.condition(),
                        ranking.operation(),
                        ranking.metric().word(),
                        ranking.sizes()
                                .map(s -> new SizesForm(
                                        s.size().low(), s.size().high(), six(s.ofOperations()), six(s.ofBytes()))),
                        any.flatMap(report::server).map(s -> new ServerForm(s.kind(), s.product(), s.version()))),
                answer,
                ranking.control().isPresent() ? finite(ranking.margin().noiseFloor()) : OptionalDouble.empty(),
                finite(ranking.margin().effective()),
                new LeadForm(
                        ranking.best().map(Ranking.Row::method),
                        ranking.rivals(),
                        ranking.tiers().groups()),
                ranking.rows().stream().map(row -> form(ranking, row)).toList(),
                ranking.unranked().stream()
                        .map(u -> new UnrankedForm(
                                u.method(), u.outcome().word(), u.outcome().reason(), u.times(), u.rounds()))
                        .toList());
    }

    private static MethodForm form(Ranking ranking, Ranking.Row row) {
        Map<String, EstimateForm> percentiles = new TreeMap<>();
        row.percentiles()
                .forEach((metric, p) -> percentiles.put(
                        metric.word(), new EstimateForm(six(p.value()), form(p.interval()), reason(p.interval()))));
        Map<String, Double> figures = new LinkedHashMap<>();
        row.figures().forEach((metric, figure) -> figures.put(metric.field(), six(figure)));
        return new MethodForm(
                row.method(),
                form(row.headline(), row.figure(ranking.metric())),
                new ComparedForm(
                        row.toBaseline().map(judgement -> form(judgement.effect())),
                        row.toBaseline().map(judgement -> form(judgement.verdict())),
                        ranking.toBest().stream()
                                .filter(judgement -> judgement.method().equals(row.method()))
                                .findFirst()
                                .map(judgement -> form(judgement.effect()))),
                percentiles,
                figures,
                row.time().map(JsonRankings::form),
                row.latencies().operations(),
                row.sqlNodes().stream().map(JsonRankings::six).toList(),
                form(row.stored(), ranking.diskShare(row)),
                new DoubtsForm(
                        row.doubts().unsteady().size(),
                        row.doubts().crashed().size(),
                        row.doubts().flags().entrySet().stream()
                                .collect(Collectors.toMap(
                                        Map.Entry::getKey,
                                        flag -> flag.getValue().rounds(),
                                        (a, b) -> a,
                                        TreeMap::new))));
    }

    private static HeadlineForm form(Ranking.RankedFigure headline, double figure) {
        Summary value = headline.value();
        return new HeadlineForm(
                six(figure),
                new SpreadForm(value.rounds(), six(value.median()), six(value.min()), six(value.max())),
                headline.mean().map(JsonRankings::form),
                headline.levels()
                        .map(OwnLevels::levels)
                        .map(levels -> new LevelsForm(six(levels.low()), six(levels.high()), six(levels.highShare()))));
    }

    private static JsonSpace form(Ranking.StoredSpace stored, OptionalDouble diskShare) {
        Function<Function<Ranking.PerKey, OptionalDouble>, OptionalDouble> perKey =
                bytes -> six(stored.perKey().map(bytes).orElse(OptionalDouble.empty()));
        return new JsonSpace(
                six(stored.bytesPerDiskByte()),
                six(diskShare),
                six(stored.encodedBytesPerSecond()),
                perKey.apply(Ranking.PerKey::disk),
                perKey.apply(Ranking.PerKey::used),
                perKey.apply(Ranking.PerKey::memory),
                stored.placement()
                        .map(placement -> new PlacementForm(
                                six(placement.inRow()),
                                six(placement.inlineBytes()),
                                six(placement.mainBytes()),
                                six(placement.partsBytes()))));
    }

    private static TimeForm form(TimeSpent time) {
        return new TimeForm(
                six(time.waiting()),
                six(time.transfer()),
                six(time.client()),
                six(time.decode()),
                six(time.pool()),
                six(time.unexplained()),
                six(time.link()),
                Bottleneck.of(time).kind().word());
    }

    private static EstimateForm form(Effect effect) {
        return new EstimateForm(six(effect.ratio()), form(effect.interval()), reason(effect.interval()));
    }

    private static Optional<IntervalForm> form(Interval interval) {
        return interval instanceof Interval.Range range && isFinite(range)
                ? Optional.of(new IntervalForm(
                        six(range.low()),
                        six(range.high()),
                        range.confidence().level(),
                        range.confidence().comparisons(),
                        range.unit().word(),
                        range.units()))
                : Optional.empty();
    }

    private static String reason(Interval interval) {
        if (interval instanceof Interval.Range range) {
            return isFinite(range) ? "" : "too wide for a number";
        }
        return ((Interval.None) interval).reason();
    }

    /** The interval of two forks that differ much, corrected for many comparisons, can exceed the range of numbers. */
    private static boolean isFinite(Interval.Range range) {
        return Double.isFinite(range.high());
    }

    private static VerdictForm form(Verdict verdict) {
        String word = verdict.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        if (verdict instanceof Verdict.Faster faster) {
            return new VerdictForm(word, faster.negligible(), "");
        }
        if (verdict instanceof Verdict.Slower slower) {
            return new VerdictForm(word, slower.negligible(), "");
        }
        return new VerdictForm(word, false, verdict instanceof Verdict.Inconclusive open ? open.reason() : "");
    }

    private static OptionalDouble finite(double x) {
        return Double.isFinite(x) ? OptionalDouble.of(six(x)) : OptionalDouble.empty();
    }

    private static OptionalDouble six(OptionalDouble x) {
        return x.isPresent() ? OptionalDouble.of(six(x.getAsDouble())) : x;
    }

    /** Six significant digits: more than any figure has, and the same on every platform. */
    static double six(double x) {
        return new BigDecimal(x).round(new MathContext(6)).doubleValue();
    }
}
