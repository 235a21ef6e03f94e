package dev.blobmark.report;

import dev.blobmark.analysis.ProjectedValues;
import dev.blobmark.analysis.ProjectedValues.MethodTotals;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.mysql.table.Whole;
import dev.blobmark.report.document.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/** What each method would make of all of a user's values: their size, and the cost of a value. */
final class OwnValuesTable {

    private OwnValuesTable() {}

    static SideTable of(ProjectedValues own) {
        List<MethodTotals> methods = own.methods();
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("method", methods, MethodTotals::method));
        columns.add(bytes("in the column", methods, MethodTotals::columnBytes));
        columns.add(bytes("on disk", methods, MethodTotals::diskBytes));
        columns.add(time("read", methods, MethodTotals::readNanos));
        columns.add(bytes("on the wire", methods, MethodTotals::wireBytes));
        columns.add(time("encode", methods, MethodTotals::encodeNanos));
        columns.removeIf(Column::isEmpty);
        return new SideTable(
                "your-values",
                "Your values: " + all(own.whole()),
                columns,
                saving(own)
                        + "in the column, on disk: what all your values would take, in the proportion of those that were measured;"
                        + " on disk are the pages in use. read: "
                        + (own.ranking().metric().unit().isTime()
                                ? own.ranking().metric().noun()
                                : Metric.MEAN.noun())
                        + " of a value; on the wire: bytes of a value, both ways. encode: CPU time of the application to"
                        + " encode a value of mean length before it is written; empty if the application encodes nothing. The"
                        + " server's own time to write is not in it: --set workload=insert measures it (JSON and latin1 also need"
                        + " column=longtext).");
    }

    /** {@code about 1,200,000 values, 7.4 GB; the table has 8.2 GB of data in about 1,210,000 rows}. */
    static String all(Whole whole) {
        String about = whole.isEstimated() ? "about " : "";
        return about + Figures.plural(whole.values(), "value") + ", " + Figures.bytes(whole.bytes())
                + (whole.tableBytes().isPresent()
                        ? "; the table has about "
                                + Figures.bytes(whole.tableBytes().getAsLong()) + " of data"
                                + (whole.tableRows().isPresent()
                                        ? " in " + about
                                                + Figures.plural(
                                                        whole.tableRows().getAsLong(), "row")
                                        : "")
                                + ", as the server estimates"
                        : "");
    }

    /** The recommended method next to the baseline; empty if it is the baseline. */
    private static String saving(ProjectedValues own) {
        String baseline = own.ranking().baseline();
        return Answer.recommended(own.ranking())
                .filter(best -> !best.method().equals(baseline))
                .flatMap(best -> own.find(best.method()))
                .flatMap(best -> own.find(baseline).map(base -> {
                    List<String> parts = new ArrayList<>();
                    add(
                            parts,
                            best,
                            base,
                            best.diskBytes().isPresent() ? MethodTotals::diskBytes : MethodTotals::columnBytes,
                            x -> Figures.bytes(Math.round(x)),
                            best.diskBytes().isPresent() ? " on disk" : " in the column");
                    add(parts, best, base, MethodTotals::readNanos, OwnValuesTable::duration, " to read a value");
                    add(parts, best, base, MethodTotals::wireBytes, x -> Figures.bytes(Math.round(x)), " on the wire");
                    best.encodeNanos().ifPresent(nanos -> parts.add(duration(nanos) + " of CPU to encode a value"));
                    return parts.isEmpty() ? "" : best.method() + ": " + String.join(", ", parts) + ". ";
                }))
                .orElse("");
    }

    private static void add(
            List<String> parts,
            MethodTotals best,
            MethodTotals base,
            Function<MethodTotals, OptionalDouble> figure,
            Function<Double, String> text,
            String what) {
        OptionalDouble one = figure.apply(best);
        OptionalDouble other = figure.apply(base);
        if (one.isPresent() && other.isPresent()) {
            parts.add(text.apply(one.getAsDouble()) + what + " instead of " + text.apply(other.getAsDouble()));
        }
    }

    private static String duration(double nanos) {
        Figures.TimeUnit unit = Figures.TimeUnit.forSmallest(nanos);
        return Figures.number(nanos / unit.nanos) + " " + unit.symbol;
    }

    private static Column bytes(
            String head, List<MethodTotals> methods, Function<MethodTotals, OptionalDouble> figure) {
        Figures.UnitScale scale = Figures.UnitScale.ofBytes(smallest(methods, figure));
        return Column.number(
                head,
                scale.symbol(),
                methods,
                method -> figure.apply(method).stream()
                        .mapToObj(scale::print)
                        .findFirst()
                        .orElse(""));
    }

    private static Column time(String head, List<MethodTotals> methods, Function<MethodTotals, OptionalDouble> figure) {
        Figures.TimeUnit unit = Figures.TimeUnit.forSmallest(smallest(methods, figure));
        return Column.number(
                head,
                unit.symbol,
                methods,
                method -> figure.apply(method).stream()
                        .mapToObj(x -> Figures.number(x / unit.nanos))
                        .findFirst()
                        .orElse(""));
    }

    private static double smallest(List<MethodTotals> methods, Function<MethodTotals, OptionalDouble> figure) {
        return methods.stream()
                .flatMapToDouble(method -> figure.apply(method).stream())
                .min()
                .orElse(0);
    }
}
