package dev.blobmark.report;

import dev.blobmark.analysis.Grade;
import dev.blobmark.analysis.GradedClaim;
import dev.blobmark.analysis.GradedClaim.ClaimComparison;
import dev.blobmark.analysis.Judgement;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Claim.Bounds;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Entries;
import dev.blobmark.report.document.Block.ListEntry;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import dev.blobmark.stats.Difference;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Graded claims as a section of a document, and as CSV. */
final class ClaimTables {

    private static final String WEAK = ", weak";

    private ClaimTables() {}

    /** A section with all claims; empty for a study without claims. */
    static Optional<Section> section(List<GradedClaim> claims, LevelWords words) {
        if (claims.isEmpty()) {
            return Optional.empty();
        }
        Map<Boolean, List<GradedClaim>> byTested =
                claims.stream().collect(Collectors.partitioningBy(claim -> claim.grade() != Grade.NOT_TESTED));
        List<GradedClaim> tested = byTested.get(true);
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Entries(
                List.of("grade", "claim", "what it says", "source", "evidence"),
                tested.stream().map(claim -> entry(claim, words)).toList(),
                "Not tested, as what they name was not measured: ",
                byTested.get(false).stream().map(claim -> entry(claim, words)).toList()));
        if (!tested.isEmpty()) {
            blocks.add(new Sentence(legend(tested), Tone.FACT));
        }
        return Optional.of(Section.of(summary(claims), blocks));
    }

    private static ListEntry entry(GradedClaim graded, LevelWords words) {
        Tone tone = switch (graded.grade()) {
            case REPRODUCED -> Tone.STRONG;
            case DIRECTION_ONLY, IN_PART, SMALLER, NO_DIFFERENCE -> Tone.WARNING;
            case REVERSED -> Tone.ALARM;
            case INCONCLUSIVE, NOT_TESTED -> Tone.FACT;
        };
        Claim claim = graded.claim();
        return new ListEntry(
                graded.grade().word() + (graded.isWeak() ? WEAK : ""),
                tone,
                claim.id(),
                claim.says(),
                claim.source(),
                evidence(graded, words),
                comparisons(graded, words));
    }

    /** All comparisons of a claim; empty if it was not tested. */
    private static Optional<Table> comparisons(GradedClaim graded, LevelWords words) {
        List<ClaimComparison> all = graded.comparisons();
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(Table.of(List.of(
                        Column.text("comparison", all, ClaimComparison::sides),
                        Column.text("under", all, each -> words.line(each.condition())),
                        Column.text("measured", all, each -> figure(graded.claim(), each)),
                        Column.text("grade", all, each -> each.grade().word() + (each.isWeak() ? WEAK : "")))));
    }

    /**
     * One row for each comparison, and one for the mean of a claim that holds on average; a claim that was not tested
     * has one row without figures. The format is RFC 4180, except that lines end in single newlines.
     */
    static void csv(List<GradedClaim> claims, Appendable out) throws IOException {
        CsvTable.write(claims.stream().flatMap(claim -> rows(claim).stream()).toList(), out);
    }

    private static List<Map<String, String>> rows(GradedClaim claim) {
        List<Map<String, String>> rows = new ArrayList<>();
        claim.average()
                .ifPresent(effect ->
                        rows.add(row(claim, "average", Optional.empty(), Optional.of(effect), claim.grade())));
        claim.comparisons()
                .forEach(comparison -> rows.add(row(
                        claim,
                        "comparison",
                        Optional.of(comparison),
                        Optional.of(comparison.effect()),
                        comparison.grade())));
        if (rows.isEmpty()) {
            rows.add(row(claim, "none", Optional.empty(), Optional.empty(), claim.grade()));
        }
        return rows;
    }

    private static Map<String, String> row(
            GradedClaim graded,
            String kind,
            Optional<ClaimComparison> comparison,
            Optional<Effect> effect,
            Grade grade) {
        Claim claim = graded.claim();
        Bounds bounds = claim.relation().bounds();
        Optional<Interval.Range> range = effect.flatMap(Judgement::rangeOf);
        Optional<Difference> difference = comparison.flatMap(ClaimComparison::difference);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("claim", claim.id());
        row.put("grade", graded.grade().word());
        row.put("weak", graded.isWeak());
        row.put("says", claim.says());
        row.put("source", claim.source());
        row.put("metric", claim.metric().word());
        row.put("operation", claim.operation());
        row.put("holds", claim.holds().word());
        row.put("claimed_low", bounds.low());
        row.put("claimed_high", Optional.of(bounds.high()).filter(Double::isFinite));
        row.put("row", kind);
        row.put("left", comparison.map(ClaimComparison::left));
        row.put("right", comparison.map(ClaimComparison::right));
        row.put("differing", comparison.map(c -> String.join("; ", c.differing())));
        row.put("condition", comparison.map(ClaimComparison::condition));
        row.put("row_grade", grade.word());
        row.put("ratio", effect.map(Effect::ratio));
        row.put("ratio_low", range.map(Interval.Range::low));
        row.put("ratio_high", range.map(Interval.Range::high));
        row.put("difference_ns", difference.map(Difference::mean));
        row.put("difference_low_ns", difference.map(Difference::low));
        row.put("difference_high_ns", difference.map(Difference::high));
        row.put("unit", range.map(r -> r.unit().word()));
        row.put("units", range.map(Interval.Range::units));
        row.put("corrected_over", range.map(r -> r.confidence().comparisons()));
        row.put("paired", comparison.map(ClaimComparison::isPaired));
        row.put("unsteady_samples", comparison.map(ClaimComparison::unsteady));
        row.put("reason", effect.flatMap(ClaimTables::noInterval).orElse(reason(graded)));
        Map<String, String> cells = new LinkedHashMap<>();
        row.forEach((name, value) -> cells.put(name, CsvTable.text(value)));
        return cells;
    }

    static Optional<String> noInterval(Effect effect) {
        return effect.interval() instanceof Interval.None none ? Optional.of(none.reason()) : Optional.empty();
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

    /** Why a claim was not tested; empty if it was. */
    static String reason(GradedClaim claim) {
        return claim.missing()
                .map(missing -> (missing.isMeasured() ? "measured without a counterpart: " : "not measured: ")
                        + Figures.enumerate(missing.names())
                        + missing.why().map(why -> " (" + why + ")").orElse(""))
                .orElse("");
    }

    static String evidence(GradedClaim graded, LevelWords words) {
        if (graded.grade() == Grade.NOT_TESTED) {
            return reason(graded);
        }
        List<String> parts = new ArrayList<>();
        int all = graded.comparisons().size();
        graded.average().ifPresent(mean -> parts.add("on average " + ratio(mean)));
        if (all > 1) {
            parts.add(graded.held() + " of " + all + " hold" + (graded.average().isPresent() ? " by themselves" : ""));
        }
        Set<String> varying = Answer.varying(
                graded.comparisons().stream().map(ClaimComparison::condition).toList());
        boolean isSometimes = graded.claim().holds() == Claim.Holds.SOMETIMES;
        (isSometimes ? graded.clearest() : graded.hardest()).ifPresent(shown -> {
            List<String> place = words.of(shown.condition().only(varying::contains));
            parts.add((all == 1 ? "" : isSometimes ? "clearest: " : "hardest: ") + shown.sides()
                    + (place.isEmpty() ? "" : " at " + String.join(", ", place)) + ": "
                    + figure(graded.claim(), shown));
        });
        claimed(graded.claim().relation()).ifPresent(parts::add);
        if (graded.unmeasured() > 0) {
            parts.add(graded.unmeasured() + " more not measured");
        }
        int unsteady = graded.comparisons().stream()
                .mapToInt(ClaimComparison::unsteady)
                .sum();
        if (unsteady > 0) {
            int samples = graded.comparisons().stream()
                    .mapToInt(ClaimComparison::samples)
                    .sum();
            parts.add("not steady in " + unsteady + " of " + Figures.plural(samples, "sample"));
        }
        return String.join("; ", parts);
    }

    /** The figure of the claim: the ratio, or the difference. */
    static String figure(Claim claim, ClaimComparison comparison) {
        return claim.relation() instanceof Claim.Apart
                ? comparison.difference().map(ClaimTables::difference).orElse("no round has both sides")
                : ratio(comparison.effect());
    }

    /** {@code 5.2 µs (4.1 to 6.3 over 5 forks)}. */
    private static String difference(Difference difference) {
        return micros(difference.mean()) + " µs (" + micros(difference.low()) + " to " + micros(difference.high())
                + " over "
                + Figures.plural(difference.units(), difference.unit().word()) + ")";
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
                + (claims.stream().anyMatch(GradedClaim::isWeak)
                        ? " Weak: fewer than " + GradedClaim.USUAL_UNITS
                                + " forks, or more than a quarter of the samples were not steady."
                        : "")
                + (isUnpaired ? " Sides that ran in different blocks are not paired." : "");
    }
}
