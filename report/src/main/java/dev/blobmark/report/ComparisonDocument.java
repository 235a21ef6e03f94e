package dev.blobmark.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import dev.blobmark.analysis.ComparedRun;
import dev.blobmark.analysis.Comparison;
import dev.blobmark.analysis.Comparison.Compared;
import dev.blobmark.analysis.Comparison.Incomparable;
import dev.blobmark.analysis.Comparison.LimitResult;
import dev.blobmark.analysis.Comparison.RunDifference;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Conclusion;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.Facts;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Unit;
import dev.blobmark.stats.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;

/** A comparison of runs as a document. */
final class ComparisonDocument {

    /** More levels of a factor are counted. */
    private static final int MOST_LEVELS = 4;

    /** More variables of servers that differ are not all named. */
    private static final int MOST_VARIABLES = 20;

    /** What caches, writes and logs. */
    private static final Set<String> DECIDING = Set.of(
            "binlog_format",
            "binlog_row_image",
            "innodb_adaptive_hash_index",
            "innodb_buffer_pool_size",
            "innodb_change_buffering",
            "innodb_compression_level",
            "innodb_doublewrite",
            "innodb_flush_log_at_trx_commit",
            "innodb_flush_method",
            "innodb_io_capacity",
            "innodb_log_file_size",
            "innodb_page_size",
            "innodb_redo_log_capacity",
            "log_bin",
            "max_allowed_packet",
            "performance_schema",
            "query_cache_type",
            "sync_binlog",
            "thread_handling");

    private static final String DIFFERENCES = "Not the same in all runs: a change may come from these";

    private final Comparison comparison;
    private final LevelWords words;

    private ComparisonDocument(Comparison comparison) {
        this.comparison = comparison;
        words = new LevelWords(Stream.of(comparison.base(), comparison.other())
                .flatMap(List::stream)
                .anyMatch(run -> run.manifest().isRemote()));
    }

    static Document of(Comparison comparison) {
        return new ComparisonDocument(comparison).document();
    }

    private Document document() {
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of(title(), List.of(new Conclusion(conclusions(), true), new Facts(facts()))));
        if (!comparison.differences().isEmpty()) {
            List<Note> notes = differences(comparison.differences()).stream()
                    .map(line -> new Note("·", line, Tone.WARNING))
                    .toList();
            sections.add(new Section(DIFFERENCES, Tone.WARNING, List.of(new Notes(notes))));
        }
        sections.addAll(groups());
        if (!comparison.incomparable().isEmpty()) {
            List<Note> notes = new ArrayList<>();
            incomparable()
                    .forEach((reason, trials) ->
                            notes.add(new Note("–", reason + ": " + String.join("; ", trials), Tone.WARNING)));
            sections.add(new Section("Not compared", Tone.WARNING, List.of(new Notes(notes))));
        }
        sections.add(Section.untitled(new Sentence(legend(), Tone.FACT)));
        return new Document(sections);
    }

    private List<Block> conclusions() {
        List<Block> blocks = new ArrayList<>();
        summary().forEach(sentence -> blocks.add(new Sentence(sentence, Tone.STRONG)));
        for (LimitResult gate : comparison.gates()) {
            blocks.add(new Sentence(standing(gate), gate.exceeded().isEmpty() ? Tone.STRONG : Tone.ALARM));
            List<Note> notes = new ArrayList<>();
            gate.exceeded().forEach(trial -> notes.add(new Note("✗", "exceeded: " + amount(trial), Tone.ALARM)));
            gate.inconclusive()
                    .forEach(trial -> notes.add(new Note("?", "inconclusive: " + amount(trial), Tone.WARNING)));
            if (!notes.isEmpty()) {
                blocks.add(new Notes(notes));
            }
        }
        return blocks;
    }

    private String title() {
        return Figures.enumerate(comparison.metrics().stream().map(Metric::word).toList()) + ": changes of "
                + Figures.plural(trials(), "trial");
    }

    private long trials() {
        return comparison.compared().stream().map(Compared::trial).distinct().count();
    }

    private List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        comparison.base().forEach(run -> facts.add(fact("Base", describe(run))));
        comparison.other().forEach(run -> facts.add(fact("New", describe(run))));
        facts.add(fact(
                "Compared",
                comparison
                        .baseline()
                        .map(baseline -> "each method's ratio to the baseline, " + baseline
                                + ", of its own run; a change of the baseline, or of all methods alike, shows only with"
                                + " --absolute")
                        .orElse("the figures themselves; what the machine did to one side is not cancelled")));
        facts.add(fact("Intervals", intervals()));
        return facts;
    }

    private static Fact fact(String name, String text) {
        return new Fact(name, text, Tone.PLAIN);
    }

    private static String describe(ComparedRun run) {
        Manifest manifest = run.manifest();
        String servers = Captions.servers(manifest.servers().values().stream());
        long samples = run.trials().values().stream().mapToLong(List::size).sum();
        return manifest.study().name()
                + (manifest.study().profile().isEmpty()
                        ? ""
                        : " (" + manifest.study().profile() + ")")
                + ", " + Figures.minute(manifest.progress().startedAt()) + ", Blobmark "
                + manifest.blobmark().name() + "; "
                + (servers.isEmpty() ? "no server" : servers) + "; "
                + Figures.plural(samples, "sample")
                + (manifest.progress().state() == Manifest.State.FINISHED
                        ? ""
                        : "; the run was not finished: "
                                + manifest.progress().state().word());
    }

    private String intervals() {
        String confidence = Figures.percent(comparison.confidence().level()) + " for "
                + (comparison.compared().size() == 1
                        ? "the one comparison"
                        : "all " + Figures.plural(comparison.compared().size(), "comparison") + " at once");
        String scopes = comparison.compared().stream()
                .map(Compared::unit)
                .distinct()
                .sorted()
                .map(Unit::scope)
                .collect(joining("; or "));
        String runs = !comparison.coversRuns()
                ? ". The spread between runs is not covered: that takes several runs of a side, BASE… --with NEW…"
                : Math.min(comparison.base().size(), comparison.other().size()) == 1
                        ? ". One side is a single run: its spread is taken to be that of the others"
                        : "";
        return confidence + (scopes.isEmpty() ? "" : ", " + scopes) + runs;
    }

    /**
     * A line each. Two products differ in a hundred variables: where there are many, those that are known to decide are
     * named, and the others counted.
     */
    static List<String> differences(List<RunDifference> all) {
        List<RunDifference> variables =
                all.stream().filter(RunDifference::isVariable).toList();
        boolean isMany = variables.size() > MOST_VARIABLES;
        List<String> lines = new ArrayList<>();
        int others = 0;
        for (RunDifference difference : all) {
            if (isMany && difference.isVariable() && !DECIDING.contains(difference.name())) {
                others++;
            } else {
                lines.add(difference.what() + ": " + change(difference));
            }
        }
        if (others > 0) {
            lines.add(Figures.plural(others, "other server variable") + ": --format json names them");
        }
        return lines;
    }

    private static String change(RunDifference difference) {
        return value(difference.base()) + " → " + value(difference.other());
    }

    private static String value(Set<String> values) {
        return values.isEmpty()
                ? "–"
                : values.stream().map(v -> v.isEmpty() ? "none" : v).collect(joining(" or "));
    }

    /** A section for each metric, condition and type of operation. */
    private List<Section> groups() {
        record Group(Metric metric, Levels condition, String operation) {}
        Map<Group, List<Compared>> grouped = comparison.compared().stream()
                .collect(groupingBy(
                        c -> new Group(c.metric(), c.condition(), c.operation()), LinkedHashMap::new, toList()));
        List<Section> sections = new ArrayList<>();
        grouped.forEach((group, rows) -> sections.add(Section.of(
                group.metric().word() + " of " + group.operation() + ": " + words.line(group.condition()),
                List.of(table(
                        rows, Scale.of(group.metric(), comparison.baseline().isPresent(), rows))))));
        return sections;
    }

    private static Table table(List<Compared> rows, Scale scale) {
        return new Table(
                List.of(
                        Column.text(
                                "method", rows, row -> (row.unsteady() ? RankingTable.UNSTEADY : "") + row.method()),
                        Column.number("base", scale.unit, rows, row -> scale.print(row.baseValue())),
                        Column.number("new", scale.unit, rows, row -> scale.print(row.otherValue())),
                        Column.number(
                                "change", "", rows, row -> percent(row.effect().ratio())),
                        Column.number("interval", "", rows, ComparisonDocument::range),
                        Column.text("", rows, ComparisonDocument::word)),
                rows.stream().map(row -> tone(row.verdict())).toList(),
                List.of());
    }

    private static Tone tone(Verdict verdict) {
        return verdict instanceof Verdict.Slower
                ? Tone.WARNING
                : verdict instanceof Verdict.Faster ? Tone.STRONG : Tone.PLAIN;
    }

    /** The unit and the format of the figures of a table. */
    private record Scale(String unit, DoubleFunction<String> print) {

        static Scale of(Metric metric, boolean isRatio, List<Compared> rows) {
            if (isRatio) {
                return new Scale("× baseline", Figures::ratio);
            }
            Figures.UnitScale scale = Figures.UnitScale.of(
                    metric.unit(),
                    rows.stream().mapToDouble(Compared::baseValue).min().orElse(0));
            return new Scale(scale.symbol(), scale::print);
        }

        String print(double value) {
            return print.apply(value);
        }
    }

    /** {@code −5.3 %}. */
    private static String percent(double ratio) {
        double percent = (ratio - 1) * 100;
        String size = String.format(Locale.ROOT, Math.abs(percent) < 99.95 ? "%.1f" : "%.0f", Math.abs(percent));
        return (size.equals("0.0") ? "" : percent < 0 ? "−" : "+") + size + " %";
    }

    private static String range(Compared compared) {
        return compared.effect().interval() instanceof Interval.Range range
                ? percent(range.low()) + " to " + percent(range.high())
                : "none";
    }

    /** {@code zstd (fetch: 64 KB): −11.1 % (−13.1 % to −9.1 %)}. */
    private String amount(Compared compared) {
        return place(compared) + ": " + percent(compared.effect().ratio())
                + (compared.effect().interval() instanceof Interval.None none
                        ? ", without an interval: " + none.reason()
                        : " (" + range(compared) + ")");
    }

    /** The verdict, in a word that fits the metric. */
    static String word(Compared compared) {
        return RankingTable.word(compared.verdict(), compared.metric());
    }

    /** The trials that were not compared, by reason: methods that lack the same conditions are named together. */
    private Map<String, List<String>> incomparable() {
        Map<String, Map<String, Set<Levels>>> byReason = new LinkedHashMap<>();
        for (Incomparable trial : comparison.incomparable()) {
            byReason.computeIfAbsent(trial.reason(), reason -> new LinkedHashMap<>())
                    .computeIfAbsent(trial.method(), method -> new LinkedHashSet<>())
                    .add(trial.condition());
        }
        Map<String, List<String>> named = new LinkedHashMap<>();
        byReason.forEach((reason, byMethod) -> {
            Map<Set<Levels>, List<String>> byConditions = new LinkedHashMap<>();
            byMethod.forEach((method, conditions) -> byConditions
                    .computeIfAbsent(conditions, all -> new ArrayList<>())
                    .add(method));
            List<String> groups = new ArrayList<>();
            byConditions.forEach(
                    (conditions, methods) -> groups.add(Figures.enumerate(methods) + " (" + places(conditions) + ")"));
            named.put(reason, groups);
        });
        return named;
    }

    /** {@code fetch: 4 KB, 64 KB or 1 MB, sites}: conditions of one workload together. */
    private String places(Set<Levels> conditions) {
        if (conditions.size() == 1) {
            return place(conditions.iterator().next());
        }
        Map<String, List<Levels>> byWorkload = conditions.stream()
                .collect(groupingBy(
                        condition -> condition.find(Workload.FACTOR).orElse(""), LinkedHashMap::new, toList()));
        return byWorkload.entrySet().stream()
                .map(workload ->
                        (workload.getKey().isEmpty() ? "" : workload.getKey() + ": ") + levels(workload.getValue()))
                .collect(joining("; "));
    }

    /** The levels of each factor. If these are not all combinations of them, their number follows. */
    private String levels(List<Levels> conditions) {
        Map<String, Set<String>> byFactor = new LinkedHashMap<>();
        Stream.concat(
                        Stream.of("size", "dataset"),
                        conditions.stream().flatMap(each -> each.byFactor().keySet().stream()))
                .distinct()
                .forEach(factor -> byFactor.put(
                        factor,
                        conditions.stream()
                                .flatMap(condition -> words.of(condition.only(factor::equals)).stream())
                                .collect(toCollection(LinkedHashSet::new))));
        byFactor.values().removeIf(Set::isEmpty);
        long combinations = byFactor.values().stream().mapToLong(Set::size).reduce(1, (a, b) -> a * b);
        return byFactor.values().stream().map(ComparisonDocument::anyOf).collect(joining(", "))
                + (combinations == conditions.size() ? "" : ", in " + conditions.size() + " combinations");
    }

    /** {@code 4 KB, 64 KB or 1 MB}, {@code 1 KB, 4 KB, 16 KB or 4 more}. */
    private static String anyOf(Set<String> levels) {
        List<String> shown = new ArrayList<>(levels);
        if (shown.size() > MOST_LEVELS + 1) {
            shown = new ArrayList<>(shown.subList(0, MOST_LEVELS));
            shown.add((levels.size() - MOST_LEVELS) + " more");
        }
        String last = shown.remove(shown.size() - 1);
        return shown.isEmpty() ? last : String.join(", ", shown) + " or " + last;
    }

    private String place(Levels condition) {
        return condition.find(Workload.FACTOR).map(w -> w + ": ").orElse("") + words.line(condition);
    }

    private String place(Compared trial) {
        return trial.method() + " (" + trial.operation() + ": " + words.line(trial.condition()) + ")";
    }

    /** For each metric, the number of trials by verdict. */
    private List<String> summary() {
        List<String> sentences = new ArrayList<>();
        for (Metric metric : comparison.metrics()) {
            List<Compared> compared = comparison.compared().stream()
                    .filter(c -> c.metric() == metric)
                    .toList();
            Map<String, List<Compared>> byWord =
                    compared.stream().collect(groupingBy(ComparisonDocument::word, LinkedHashMap::new, toList()));
            sentences.add(metric.word() + ": "
                    + (compared.isEmpty()
                            ? "nothing could be compared"
                            : Figures.enumerate(byWord.entrySet().stream()
                                    .map(word -> word.getValue().size() + " " + word.getKey())
                                    .toList()))
                    + '.');
        }
        return sentences;
    }

    private static String standing(LimitResult gate) {
        if (gate.judged() == 0) {
            return "Limit " + gate.limit() + ": not judged, as nothing could be compared.";
        }
        List<String> parts = new ArrayList<>();
        if (!gate.exceeded().isEmpty()) {
            parts.add("exceeded by " + gate.exceeded().size());
        }
        if (!gate.inconclusive().isEmpty()) {
            parts.add("inconclusive for " + gate.inconclusive().size());
        }
        if (!gate.kept().isEmpty()) {
            parts.add("kept by " + gate.kept().size());
        }
        return "Limit " + gate.limit() + ": " + String.join(", ", parts) + " of " + gate.judged() + ".";
    }

    private String legend() {
        return "base and new: geometric means over "
                + comparison.compared().stream()
                        .map(c -> c.unit().word() + "s")
                        .distinct()
                        .collect(joining(" or "))
                + (comparison.baseline().isPresent() ? " of the ratios to the baseline" : "")
                + ". change: new ÷ base. inconclusive: the interval includes no change, or there is none."
                + (comparison.compared().stream().anyMatch(Compared::unsteady) ? " ~: not steady in some rounds." : "");
    }
}
