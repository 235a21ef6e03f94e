package dev.blobmark.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import com.github.freva.asciitable.Styler;
import dev.blobmark.analysis.ComparedRun;
import dev.blobmark.analysis.Comparison;
import dev.blobmark.analysis.Comparison.Compared;
import dev.blobmark.analysis.Comparison.Difference;
import dev.blobmark.analysis.Comparison.Gate;
import dev.blobmark.analysis.Comparison.Incomparable;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.stats.Unit;
import dev.blobmark.lab.stats.Verdict;
import dev.blobmark.lab.study.Levels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/** A comparison for reading: as text for a terminal of 100 columns, and in Markdown. */
final class ComparisonText {

    private final Comparison comparison;

    ComparisonText(Comparison comparison) {
        this.comparison = comparison;
    }

    void text(Style style, Appendable out) throws IOException {
        out.append(style.bold(title())).append('\n');
        for (Fact fact : facts()) {
            List<String> lines = Tables.wrap(fact.text(), Tables.WIDTH - 10);
            for (int i = 0; i < lines.size(); i++) {
                out.append(style.dim(String.format("%-10s", i == 0 ? fact.name() : "")))
                        .append(lines.get(i))
                        .append('\n');
            }
        }
        if (!comparison.differences().isEmpty()) {
            out.append('\n').append(style.warn(DIFFERENCES)).append('\n');
            for (Difference difference : comparison.differences()) {
                indented(difference.what() + ": " + change(difference), style, Style::warn, out);
            }
        }
        for (Group group : groups()) {
            out.append('\n');
            Tables.lines(group.caption(), Tables.WIDTH, style::bold, out);
            out.append('\n')
                    .append(Tables.unaligned(group.columns(), styler(group, style)))
                    .append('\n');
        }
        if (!comparison.incomparable().isEmpty()) {
            out.append('\n').append(style.warn("Not compared")).append('\n');
            for (var reason : incomparable().entrySet()) {
                indented(reason.getKey() + ": " + String.join("; ", reason.getValue()), style, Style::warn, out);
            }
        }
        out.append('\n');
        Tables.lines(legend(), Tables.WIDTH, style::dim, out);
        // last, where the eye is when the command ends
        out.append('\n');
        for (String sentence : summary()) {
            Tables.lines(sentence, Tables.WIDTH, style::bold, out);
        }
        for (Gate gate : comparison.gates()) {
            for (String line : Tables.wrap(standing(gate), Tables.WIDTH)) {
                out.append(gate.exceeded().isEmpty() ? style.bold(line) : style.alarm(line))
                        .append('\n');
            }
            for (Compared each : gate.exceeded()) {
                indented("✗ " + place(each) + ": " + amount(each), style, Style::alarm, out);
            }
            for (Compared each : gate.inconclusive()) {
                indented("? " + place(each) + ": " + amount(each), style, Style::warn, out);
            }
        }
    }

    void markdown(Appendable out) throws IOException {
        out.append("# ").append(Tables.escape(title())).append("\n\n");
        for (Gate gate : comparison.gates()) {
            out.append("- ").append(Tables.escape(standing(gate))).append('\n');
            for (Compared each : Stream.concat(gate.exceeded().stream(), gate.inconclusive().stream())
                    .toList()) {
                out.append("  - ")
                        .append(gate.exceeded().contains(each) ? "exceeded: " : "inconclusive: ")
                        .append(Tables.escape(place(each) + ": " + amount(each)))
                        .append('\n');
            }
        }
        for (String sentence : summary()) {
            out.append("- ").append(Tables.escape(sentence)).append('\n');
        }
        out.append('\n');
        for (Fact fact : facts()) {
            out.append("- ")
                    .append(fact.name())
                    .append(": ")
                    .append(Tables.escape(fact.text()))
                    .append('\n');
        }
        if (!comparison.differences().isEmpty()) {
            out.append("\n## ").append(DIFFERENCES).append("\n\n");
            Tables.line(out, List.of("what", "base", "new"));
            Tables.line(out, List.of(":---", ":---", ":---"));
            for (Difference difference : comparison.differences()) {
                Tables.line(
                        out,
                        Stream.of(difference.what(), value(difference.base()), value(difference.other()))
                                .map(Tables::escape)
                                .toList());
            }
        }
        for (Group group : groups()) {
            out.append("\n## ").append(Tables.escape(group.caption())).append("\n\n");
            Tables.markdown(group.columns(), out);
        }
        if (!comparison.incomparable().isEmpty()) {
            out.append("\n## Not compared\n\n");
            for (var reason : incomparable().entrySet()) {
                out.append("- ")
                        .append(Tables.escape(reason.getKey() + ": " + String.join("; ", reason.getValue())))
                        .append('\n');
            }
        }
        out.append('\n').append(Tables.escape(legend())).append('\n');
    }

    private static final String DIFFERENCES = "Not the same in all runs: a change may come from these";

    private String title() {
        return Figures.enumerate(comparison.metrics().stream().map(Metric::word).toList()) + ": what has become of "
                + Figures.plural(trials(), "trial");
    }

    private long trials() {
        return comparison.compared().stream().map(Compared::trial).distinct().count();
    }

    private record Fact(String name, String text) {}

    private List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        comparison.base().forEach(run -> facts.add(new Fact("Base", describe(run))));
        comparison.other().forEach(run -> facts.add(new Fact("New", describe(run))));
        facts.add(new Fact(
                "Compared",
                comparison
                        .baseline()
                        .map(baseline -> "each method's ratio to the baseline, " + baseline
                                + ", of its own run; what becomes of the baseline, or of all methods alike, shows with"
                                + " --absolute only")
                        .orElse("the figures themselves; what the machine did to one side is not cancelled")));
        facts.add(new Fact("Intervals", intervals()));
        return facts;
    }

    private static String describe(ComparedRun run) {
        Manifest manifest = run.manifest();
        String servers = manifest.servers().values().stream()
                .map(server -> Captions.server(server) + (server.isEmbedded() ? " embedded" : ""))
                .distinct()
                .collect(joining(" and "));
        long samples = run.trials().values().stream().mapToLong(List::size).sum();
        return manifest.study().name()
                + (manifest.study().profile().isEmpty()
                        ? ""
                        : " (" + manifest.study().profile() + ")")
                + ", " + Figures.minute(manifest.progress().startedAt()) + ", Blobmark " + manifest.blobmark() + "; "
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

    private static String change(Difference difference) {
        return value(difference.base()) + " → " + value(difference.other());
    }

    private static String value(Set<String> values) {
        return values.isEmpty()
                ? "–"
                : values.stream().map(v -> v.isEmpty() ? "none" : v).collect(joining(" or "));
    }

    /** What is compared under one condition. */
    private record Group(String caption, List<Compared> rows, List<Column> columns) {}

    private List<Group> groups() {
        record Under(Metric metric, Levels condition, String operation) {}
        Map<Under, List<Compared>> grouped = comparison.compared().stream()
                .collect(groupingBy(
                        c -> new Under(c.metric(), c.condition(), c.operation()), LinkedHashMap::new, toList()));
        List<Group> groups = new ArrayList<>();
        grouped.forEach((under, rows) -> {
            Scale scale = Scale.of(under.metric(), comparison.baseline().isPresent(), rows);
            groups.add(new Group(
                    under.metric().word() + " of " + under.operation() + ": "
                            + String.join(", ", Figures.levels(under.condition())),
                    rows,
                    columns(rows, scale)));
        });
        return groups;
    }

    private static List<Column> columns(List<Compared> rows, Scale scale) {
        return List.of(
                column("method", "", false, rows, row -> (row.unsteady() ? Column.UNSTEADY : "") + row.method()),
                column("base", scale.unit, true, rows, row -> scale.print(row.baseValue())),
                column("new", scale.unit, true, rows, row -> scale.print(row.otherValue())),
                column("change", "", true, rows, row -> percent(row.effect().ratio())),
                column("interval", "", true, rows, ComparisonText::range),
                column("", "", false, rows, ComparisonText::word));
    }

    private static Column column(
            String head, String unit, boolean isNumber, List<Compared> rows, Function<Compared, String> cell) {
        return new Column(head, unit, rows.stream().map(cell).toList(), isNumber);
    }

    /** How the figures of a table are written. */
    private record Scale(String unit, DoubleFunction<String> print) {

        static Scale of(Metric metric, boolean isRatio, List<Compared> rows) {
            if (isRatio) {
                return new Scale("× baseline", Figures::ratio);
            }
            Figures.Scale scale = Figures.Scale.of(
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

    private static String amount(Compared compared) {
        return percent(compared.effect().ratio())
                + (compared.effect().interval() instanceof Interval.None none
                        ? ", without an interval: " + none.reason()
                        : " (" + range(compared) + ")");
    }

    /** What the interval lets us say, in a word that fits the metric. */
    static String word(Compared compared) {
        return Column.word(compared.verdict(), compared.metric());
    }

    private static Styler styler(Group group, Style style) {
        return new Styler() {
            @Override
            public List<String> styleHeader(com.github.freva.asciitable.Column column, int col, List<String> lines) {
                return lines.stream().map(style::dim).toList();
            }

            @Override
            public List<String> styleCell(
                    com.github.freva.asciitable.Column column, int row, int col, List<String> lines) {
                Compared shown = group.rows().get(row);
                Verdict verdict = shown.verdict();
                return lines.stream()
                        .map(line -> verdict instanceof Verdict.Slower
                                ? style.warn(line)
                                : verdict instanceof Verdict.Faster ? style.bold(line) : line)
                        .toList();
            }
        };
    }

    /** The trials that were not compared, by the reason. */
    private Map<String, List<String>> incomparable() {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (Incomparable each : comparison.incomparable()) {
            byReason.computeIfAbsent(each.reason(), reason -> new ArrayList<>())
                    .add(each.method() + " (" + place(each.condition()) + ")");
        }
        return byReason;
    }

    private static String place(Levels condition) {
        return condition.find("workload").map(w -> w + ": ").orElse("") + String.join(", ", Figures.levels(condition));
    }

    private static String place(Compared each) {
        return each.method() + " (" + each.operation() + ": " + String.join(", ", Figures.levels(each.condition()))
                + ")";
    }

    /** By metric: how many trials became what. */
    private List<String> summary() {
        List<String> sentences = new ArrayList<>();
        for (Metric metric : comparison.metrics()) {
            List<Compared> its = comparison.compared().stream()
                    .filter(c -> c.metric() == metric)
                    .toList();
            Map<String, List<Compared>> byWord =
                    its.stream().collect(groupingBy(ComparisonText::word, LinkedHashMap::new, toList()));
            sentences.add(metric.word() + ": "
                    + (its.isEmpty()
                            ? "nothing could be compared"
                            : Figures.enumerate(byWord.entrySet().stream()
                                    .map(word -> word.getValue().size() + " " + word.getKey())
                                    .toList()))
                    + '.');
        }
        return sentences;
    }

    private static String standing(Gate gate) {
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

    private interface Paint {
        String paint(Style style, String text);
    }

    private static void indented(String text, Style style, Paint paint, Appendable out) throws IOException {
        List<String> lines = Tables.wrap(text, Tables.WIDTH - 5);
        for (int i = 0; i < lines.size(); i++) {
            out.append(paint.paint(style, (i == 0 ? "  " : "     ") + lines.get(i)))
                    .append('\n');
        }
    }
}
