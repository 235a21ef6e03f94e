package dev.blobmark.report;

import dev.blobmark.analysis.Saturation;
import dev.blobmark.analysis.Saturation.MethodSaturation;
import dev.blobmark.report.Figures.TimeUnit;
import dev.blobmark.report.document.Column;
import dev.blobmark.stats.Confidence;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** The number of threads up to which the rate of each method grows. */
final class SaturationTable {

    private SaturationTable() {}

    static SideTable of(Saturation saturation, LevelWords words) {
        List<MethodSaturation> methods = saturation.methods();
        TimeUnit time = TimeUnit.forSmallest(methods.stream()
                .flatMapToDouble(method -> method.p95Nanos().stream())
                .min()
                .orElse(0));
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("method", methods, MethodSaturation::method));
        columns.add(
                Column.text("saturates at", methods, method -> method.point().toString()));
        columns.add(Column.number("rate there", "op/s", methods, method -> number(method.operationsPerSecond(), 1)));
        columns.add(Column.number("p95 there", time.symbol, methods, method -> number(method.p95Nanos(), time.nanos)));
        columns.add(Column.text("next step", methods, SaturationTable::next));
        columns.removeIf(Column::isEmpty);
        boolean hasFloor =
                methods.stream().flatMap(method -> method.steps().stream()).anyMatch(step -> step.noiseFloor() > 0);
        return new SideTable(
                "saturation",
                "Up to how many threads the rate grows: "
                        + Figures.operation(saturation.operation(), saturation.condition()) + ", "
                        + words.line(saturation.condition()),
                columns,
                "Measured at "
                        + Figures.enumerate(saturation.threads().stream()
                                .map(String::valueOf)
                                .toList())
                        + " threads. saturates at: the last count that a method reached by growth of its operations per second, which is a"
                        + " step whose whole interval, over rounds of both counts, lies above 1"
                        + (hasFloor ? " and above what the control shows as noise" : "")
                        + "; the intervals of a method hold together with "
                        + Figures.percent(Confidence.USUAL.level())
                        + ". or more: a later step may have grown, which its interval leaves open. not by: the last step still grew."
                        + " next step: the rate's ratio beyond.");
    }

    private static String next(MethodSaturation method) {
        return method.next()
                .map(step ->
                        "to " + step.to() + ": " + Figures.times(step.rate().orElseThrow()))
                .orElse("");
    }

    private static String number(OptionalDouble figure, double unit) {
        return figure.isPresent() ? Figures.number(figure.getAsDouble() / unit) : "";
    }
}
