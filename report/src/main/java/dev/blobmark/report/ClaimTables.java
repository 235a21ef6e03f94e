package dev.blobmark.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.blobmark.analysis.Grade;
import dev.blobmark.analysis.GradedClaim;
import dev.blobmark.analysis.GradedClaim.Comparison;
import dev.blobmark.lab.stats.Difference;
import dev.blobmark.lab.stats.Effect;
import dev.blobmark.lab.stats.Interval;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Claim.Bounds;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Graded claims for reading, as text and in Markdown, and for programs, as CSV. */
final class ClaimTables {

    private static final int GRADE_WIDTH = Arrays.stream(Grade.values())
                    .mapToInt(grade -> grade.word().length())
                    .max()
                    .getAsInt()
            + 2;

    private ClaimTables() {}

    /** The claims that were tested, three lines or so each; of the others, the names. Nothing for a study without claims. */
    static void text(List<GradedClaim> claims, Style style, Appendable out) throws IOException {
        if (claims.isEmpty()) {
            return;
        }
        out.append('\n').append(style.bold(summary(claims))).append('\n');
        List<GradedClaim> tested =
                claims.stream().filter(c -> c.grade() != Grade.NOT_TESTED).toList();
        for (GradedClaim each : tested) {
            String grade = String.format("%-" + GRADE_WIDTH + "s", each.grade().word());
            out.append(coloured(each.grade(), grade, style))
                    .append(style.bold(each.claim().id()))
                    .append('\n');
            for (String line : Tables.wrap(each.claim().says(), Tables.WIDTH - 2)) {
                out.append("  ").append(line).append('\n');
            }
            for (String line : Tables.wrap(evidence(each), Tables.WIDTH - 2)) {
                out.append("  ").append(style.dim(line)).append('\n');
            }
        }
        List<String> untested = claims.stream()
                .filter(c -> c.grade() == Grade.NOT_TESTED)
                .map(c -> c.claim().id())
                .toList();
        if (!untested.isEmpty()) {
            Tables.lines(
                    "Not tested, as what they name was not measured: " + String.join(", ", untested) + ".",
                    Tables.WIDTH,
                    style::dim,
                    out);
        }
        if (!tested.isEmpty()) {
            Tables.lines(legend(tested), Tables.WIDTH, style::dim, out);
        }
    }

    /** A section with a table of all claims. Nothing for a study without claims. */
    static void markdown(List<GradedClaim> claims, Appendable out) throws IOException {
        if (claims.isEmpty()) {
            return;
        }
        out.append("\n## ").append(summary(claims)).append("\n\n");
        Tables.line(out, List.of("grade", "claim", "what it says", "source", "evidence"));
        Tables.line(out, List.of(":---", ":---", ":---", ":---", ":---"));
        for (GradedClaim each : claims) {
            Claim claim = each.claim();
            Tables.line(
                    out,
                    Stream.of(each.grade().word(), claim.id(), claim.says(), claim.source(), evidence(each))
                            .map(Tables::escape)
                            .toList());
        }
        out.append('\n').append(Tables.escape(legend(claims))).append('\n');
    }

    /**
     * One row for each comparison, and one for the mean of a claim that holds on average; a claim that was not tested has
     * one row without figures. RFC 4180 but for the line ends, which are single newlines.
     */
    static void csv(List<GradedClaim> claims, Appendable out) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            boolean isFirst = true;
            for (GradedClaim claim : claims) {
                for (Map<String, String> row : rows(claim)) {
                    if (isFirst) {
                        csv.writeRecord(CsvTable.cells(row.keySet()));
                        isFirst = false;
                    }
                    csv.writeRecord(CsvTable.cells(row.values()));
                }
            }
        }
        out.append(text.getBuffer());
    }

    private static List<Map<String, String>> rows(GradedClaim each) {
        List<Map<String, String>> rows = new ArrayList<>();
        each.average()
                .ifPresent(
                        effect -> rows.add(row(each, "average", Optional.empty(), Optional.of(effect), each.grade())));
        each.comparisons()
                .forEach(comparison -> rows.add(row(
                        each,
                        "comparison",
                        Optional.of(comparison),
                        Optional.of(comparison.effect()),
                        comparison.grade())));
        if (rows.isEmpty()) {
            rows.add(row(each, "none", Optional.empty(), Optional.empty(), each.grade()));
        }
        return rows;
    }

    private static Map<String, String> row(
            GradedClaim each, String kind, Optional<Comparison> comparison, Optional<Effect> effect, Grade grade) {
        Claim claim = each.claim();
        Bounds bounds = claim.relation().bounds();
        Optional<Interval.Range> range = effect.map(Effect::interval)
                .filter(Interval.Range.class::isInstance)
                .map(Interval.Range.class::cast);
        Map<String, String> row = new LinkedHashMap<>();
        row.put("claim", claim.id());
        row.put("grade", each.grade().word());
        row.put("says", claim.says());
        row.put("source", claim.source());
        row.put("metric", claim.metric().word());
        row.put("operation", claim.operation().orElse(""));
        row.put("holds", claim.holds().word());
        row.put("claimed_low", Double.toString(bounds.low()));
        row.put("claimed_high", Double.isInfinite(bounds.high()) ? "" : Double.toString(bounds.high()));
        row.put("row", kind);
        row.put("left", comparison.map(Comparison::left).orElse(""));
        row.put("right", comparison.map(Comparison::right).orElse(""));
        row.put(
                "differing",
                comparison.map(c -> String.join("; ", c.differing())).orElse(""));
        row.put("condition", comparison.map(c -> c.condition().toString()).orElse(""));
        row.put("row_grade", grade.word());
        row.put("ratio", effect.map(e -> Double.toString(e.ratio())).orElse(""));
        row.put("ratio_low", range.map(r -> Double.toString(r.low())).orElse(""));
        row.put("ratio_high", range.map(r -> Double.toString(r.high())).orElse(""));
        Optional<Difference> difference = comparison.flatMap(Comparison::difference);
        row.put("difference_ns", difference.map(d -> Double.toString(d.mean())).orElse(""));
        row.put(
                "difference_low_ns",
                difference.map(d -> Double.toString(d.low())).orElse(""));
        row.put(
                "difference_high_ns",
                difference.map(d -> Double.toString(d.high())).orElse(""));
        row.put("unit", range.map(r -> r.unit().word()).orElse(""));
        row.put("units", range.map(r -> Integer.toString(r.units())).orElse(""));
        row.put(
                "corrected_over",
                range.map(r -> Integer.toString(r.confidence().comparisons())).orElse(""));
        row.put("paired", comparison.map(c -> Boolean.toString(c.isPaired())).orElse(""));
        row.put(
                "unsteady_samples",
                comparison.map(c -> Integer.toString(c.unsteady())).orElse(""));
        row.put(
                "reason",
                effect.map(Effect::interval)
                        .filter(Interval.None.class::isInstance)
                        .map(none -> ((Interval.None) none).reason())
                        .orElse(reason(each)));
        return row;
    }

    /** {@code Claims: 5 reproduced, 1 reversed, 6 not tested here}. */
    private static String summary(List<GradedClaim> claims) {
        Map<Grade, Long> counts =
                claims.stream().collect(Collectors.groupingBy(GradedClaim::grade, TreeMap::new, Collectors.counting()));
        return "Claims: "
                + counts.entrySet().stream()
                        .map(grade -> grade.getValue() + " " + grade.getKey().word())
                        .collect(Collectors.joining(", "));
    }

    /** Why a claim was not tested; else empty. */
    static String reason(GradedClaim claim) {
        return claim.missing()
                .map(missing -> (missing.isMeasured() ? "measured without a counterpart: " : "not measured: ")
                        + Figures.enumerate(missing.names())
                        + missing.why().map(why -> " (" + why + ")").orElse(""))
                .orElse("");
    }

    static String evidence(GradedClaim each) {
        if (each.grade() == Grade.NOT_TESTED) {
            return reason(each);
        }
        List<String> parts = new ArrayList<>();
        int all = each.comparisons().size();
        each.average().ifPresent(mean -> parts.add("on average " + ratio(mean)));
        if (all > 1) {
            parts.add(each.held() + " of " + all + " hold" + (each.average().isPresent() ? " by themselves" : ""));
        }
        Set<String> varying = Answer.varying(
                each.comparisons().stream().map(Comparison::condition).toList());
        each.hardest().ifPresent(hardest -> {
            List<String> place = Figures.levels(hardest.condition().only(varying::contains));
            parts.add((all > 1 ? "hardest: " : "") + hardest.sides()
                    + (place.isEmpty() ? "" : " at " + String.join(", ", place)) + ": "
                    + figure(each.claim(), hardest));
        });
        claimed(each.claim().relation()).ifPresent(parts::add);
        if (each.unmeasured() > 0) {
            parts.add(each.unmeasured() + " more not measured");
        }
        int unsteady =
                each.comparisons().stream().mapToInt(Comparison::unsteady).sum();
        if (unsteady > 0) {
            parts.add("not steady in " + Figures.plural(unsteady, "sample"));
        }
        return String.join("; ", parts);
    }

    /** What the claim is about: the ratio, or the difference. */
    static String figure(Claim claim, Comparison comparison) {
        return claim.relation() instanceof Claim.Apart
                ? comparison.difference().map(ClaimTables::difference).orElse("no round has both sides")
                : ratio(comparison.effect());
    }

    /** {@code 5.2 µs (4.1 to 6.3 over 5 forks)}. */
    private static String difference(Difference its) {
        return micros(its.mean()) + " µs (" + micros(its.low()) + " to " + micros(its.high()) + " over "
                + Figures.plural(its.units(), its.unit().word()) + ")";
    }

    private static String micros(double nanos) {
        return (nanos < 0 ? "−" : "") + Figures.number(Math.abs(nanos) / 1e3);
    }

    static Optional<String> claimed(Claim.Relation relation) {
        if (relation instanceof Claim.Apart apart) {
            return Optional.of("claimed: "
                    + (Double.isInfinite(apart.highNanos())
                            ? "at least " + micros(apart.lowNanos())
                            : micros(apart.lowNanos()) + " to " + micros(apart.highNanos()))
                    + " µs more");
        }
        Bounds bounds = relation.bounds();
        return bounds.equals(Bounds.ABOVE_ONE)
                ? Optional.empty()
                : Optional.of("claimed: "
                        + (bounds.low() == 0
                                ? "up to " + ratio(bounds.high())
                                : Double.isInfinite(bounds.high())
                                        ? "at least " + ratio(bounds.low())
                                        : ratio(bounds.low()) + " to " + ratio(bounds.high())));
    }

    /** {@code 1.21 (1.15 to 1.27 over 5 forks)}. */
    private static String ratio(Effect effect) {
        if (effect.interval() instanceof Interval.Range range) {
            return ratio(effect.ratio()) + " (" + ratio(range.low()) + " to " + ratio(range.high()) + " over "
                    + Figures.plural(range.units(), range.unit().word()) + ")";
        }
        return ratio(effect.ratio()) + " (" + ((Interval.None) effect.interval()).reason() + ")";
    }

    private static String ratio(double x) {
        return x < 10 ? Figures.ratio(x) : Figures.number(x);
    }

    private static String legend(List<GradedClaim> claims) {
        boolean isUnpaired =
                claims.stream().flatMap(c -> c.comparisons().stream()).anyMatch(c -> !c.isPaired());
        return "Ratios are of the left side to the right, with the intervals that cover all comparisons of a claim together"
                + " with 95 %. A claim holds where the whole interval lies as claimed."
                + (isUnpaired ? " Sides that ran in different blocks are not paired." : "");
    }

    private static String coloured(Grade grade, String text, Style style) {
        return switch (grade) {
            case REPRODUCED -> style.bold(text);
            case DIRECTION_ONLY, IN_PART, SMALLER, NO_DIFFERENCE -> style.warn(text);
            case REVERSED -> style.alarm(text);
            case INCONCLUSIVE, NOT_TESTED -> style.dim(text);
        };
    }
}
