package dev.blobmark.lab.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Claim.Apart;
import dev.blobmark.lab.study.Claim.Bounds;
import dev.blobmark.lab.study.Claim.Greater;
import dev.blobmark.lab.study.Claim.Holds;
import dev.blobmark.lab.study.Claim.Ordered;
import dev.blobmark.lab.study.Claim.Relation;
import dev.blobmark.lab.study.Claim.Sides;
import dev.blobmark.lab.study.Claim.Within;
import dev.blobmark.lab.study.Selection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * A claim as the manifest has it. A selection is the tests of each factor; a ratio without an upper bound has {@code null} for it.
 *
 * @param relation {@code greater}, {@code apart}, {@code within} or {@code ordered}
 * @param sides two; of an order, its steps from the least
 * @param differenceLowNs of sides that are {@code apart}
 * @param differenceHighNs likewise; empty where there is no upper bound
 */
record ClaimForm(
        String id,
        String says,
        String source,
        String metric,
        Optional<String> operation,
        Optional<EffectForm> effect,
        String relation,
        List<SortedMap<String, List<String>>> sides,
        double ratioLow,
        OptionalDouble ratioHigh,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalDouble differenceLowNs,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) OptionalDouble differenceHighNs,
        SortedMap<String, List<String>> where,
        String holds) {

    record EffectForm(SortedMap<String, List<String>> of, SortedMap<String, List<String>> to) {}

    static ClaimForm of(Claim claim) {
        Relation relation = claim.relation();
        Sides first = relation.sides().get(0);
        Bounds bounds = relation.bounds();
        Stream<Selection> sides = relation instanceof Ordered ordered
                ? ordered.rising().stream()
                : Stream.of(first.left(), first.right());
        Optional<Apart> apart =
                Optional.of(relation).filter(Apart.class::isInstance).map(Apart.class::cast);
        return new ClaimForm(
                claim.id(),
                claim.says(),
                claim.source(),
                claim.metric().word(),
                claim.operation(),
                claim.effect().map(e -> new EffectForm(e.of().texts(), e.to().texts())),
                word(relation),
                sides.map(Selection::texts).toList(),
                bounds.low(),
                finite(bounds.high()),
                apart.map(its -> finite(its.lowNanos())).orElse(OptionalDouble.empty()),
                apart.map(its -> finite(its.highNanos())).orElse(OptionalDouble.empty()),
                claim.where().texts(),
                claim.holds().word());
    }

    private static OptionalDouble finite(double bound) {
        return Double.isInfinite(bound) ? OptionalDouble.empty() : OptionalDouble.of(bound);
    }

    private static String word(Relation relation) {
        if (relation instanceof Greater) {
            return "greater";
        }
        return relation instanceof Apart ? "apart" : relation instanceof Within ? "within" : "ordered";
    }

    Claim toClaim() {
        return new Claim(
                id,
                says,
                source,
                Metric.find(metric).orElseThrow(() -> new IllegalArgumentException("unknown metric '" + metric + "'")),
                operation,
                effect.map(e -> new Claim.Effect(Selection.of(e.of), Selection.of(e.to))),
                toRelation(),
                Selection.of(where),
                Holds.find(holds).orElseThrow(() -> new IllegalArgumentException("unknown 'holds': '" + holds + "'")));
    }

    private Relation toRelation() {
        List<Selection> selections = sides.stream().map(Selection::of).toList();
        Bounds bounds = new Bounds(ratioLow, ratioHigh.orElse(Double.POSITIVE_INFINITY));
        return switch (relation) {
            case "greater" -> new Greater(selections.get(0), selections.get(1), bounds);
            case "apart" ->
                new Apart(
                        selections.get(0),
                        selections.get(1),
                        differenceLowNs.orElseThrow(),
                        differenceHighNs.orElse(Double.POSITIVE_INFINITY));
            case "within" -> new Within(selections.get(0), selections.get(1), bounds);
            case "ordered" -> new Ordered(selections);
            default -> throw new IllegalArgumentException("unknown relation '" + relation + "' of a claim");
        };
    }
}
