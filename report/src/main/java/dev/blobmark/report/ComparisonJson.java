package dev.blobmark.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.blobmark.analysis.ComparedRun;
import dev.blobmark.analysis.Comparison;
import dev.blobmark.analysis.Comparison.Compared;
import dev.blobmark.analysis.Comparison.Incomparable;
import dev.blobmark.analysis.Comparison.LimitResult;
import dev.blobmark.analysis.Comparison.RunDifference;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Program;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.stats.Interval;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A comparison for programs. Unknown values are null, with the reason. */
final class ComparisonJson {

    private static final int SCHEMA = 1;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private ComparisonJson() {}

    private record JsonComparison(
            int schema,
            Optional<String> baseline,
            @JsonUnwrapped RunSides runs,
            Sureness confidence,
            boolean coversRuns,
            List<Change> differences,
            List<Trial> comparisons,
            List<NotCompared> notCompared,
            List<Judged> limits,
            boolean exceeded) {}

    private record RunSides(
            List<Run> base, @JsonProperty("new") List<Run> other) {}

    private record Run(String study, String profile, Instant startedAt, Manifest.State state, Program blobmark) {}

    private record Sureness(double level, int comparisons) {}

    private record Change(
            String what,
            Set<String> base,
            @JsonProperty("new") Set<String> other) {}

    /** The groups are written at one level. */
    private record Trial(
            String metric,
            @JsonUnwrapped ComparedTrial subject,
            @JsonUnwrapped FigurePair figures,
            String unit,
            String verdict,
            boolean unsteady) {}

    private record ComparedTrial(String trial, String method, Levels condition, String operation) {}

    private record FigurePair(
            double base,
            @JsonProperty("new") double other,
            double ratio,
            Optional<Double> low,
            Optional<Double> high,
            Optional<String> noInterval) {}

    private record NotCompared(String trial, String method, Levels condition, String reason) {}

    private record Judged(
            String limit,
            List<TrialOperation> exceeded,
            List<TrialOperation> inconclusive,
            List<TrialOperation> kept) {}

    private record TrialOperation(String trial, String operation) {}

    static void write(Comparison comparison, Appendable out) throws IOException {
        JsonComparison whole = new JsonComparison(
                SCHEMA,
                comparison.baseline(),
                new RunSides(
                        comparison.base().stream().map(ComparisonJson::run).toList(),
                        comparison.other().stream().map(ComparisonJson::run).toList()),
                new Sureness(
                        comparison.confidence().level(), comparison.confidence().comparisons()),
                comparison.coversRuns(),
                comparison.differences().stream()
                        .map((RunDifference d) -> new Change(d.what(), d.base(), d.other()))
                        .toList(),
                comparison.compared().stream().map(ComparisonJson::trial).toList(),
                comparison.incomparable().stream()
                        .map((Incomparable i) -> new NotCompared(i.trial(), i.method(), i.condition(), i.reason()))
                        .toList(),
                comparison.gates().stream().map(ComparisonJson::judged).toList(),
                comparison.isExceeded());
        out.append(MAPPER.writeValueAsString(whole)).append('\n');
    }

    private static Run run(ComparedRun run) {
        Manifest m = run.manifest();
        return new Run(
                m.study().name(),
                m.study().profile(),
                m.progress().startedAt(),
                m.progress().state(),
                m.blobmark());
    }

    private static Trial trial(Compared c) {
        Optional<Interval.Range> range = Judgement.rangeOf(c.effect());
        return new Trial(
                c.metric().word(),
                new ComparedTrial(c.trial(), c.method(), c.condition(), c.operation()),
                new FigurePair(
                        c.baseValue(),
                        c.otherValue(),
                        c.effect().ratio(),
                        range.map(Interval.Range::low),
                        range.map(Interval.Range::high),
                        ClaimTables.noInterval(c.effect())),
                c.unit().word(),
                ComparisonDocument.word(c),
                c.unsteady());
    }

    private static Judged judged(LimitResult gate) {
        return new Judged(
                gate.limit().toString(), places(gate.exceeded()), places(gate.inconclusive()), places(gate.kept()));
    }

    private static List<TrialOperation> places(List<Compared> compared) {
        return compared.stream()
                .map(c -> new TrialOperation(c.trial(), c.operation()))
                .toList();
    }
}
