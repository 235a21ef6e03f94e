package dev.blobmark.report;

import dev.blobmark.analysis.Saturation;
import dev.blobmark.analysis.Saturation.Saturated;
import dev.blobmark.lab.stats.Confidence;
import dev.blobmark.report.Figures.TimeUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/** Up to how many threads the rate of each method grows. */
final class SaturationTable {

    private SaturationTable() {}

    static SideTable of(Saturation saturation) {
        List<Saturated> methods = saturation.methods();
        TimeUnit time = TimeUnit.forSmallest(methods.stream()
                .flatMapToDouble(method -> method.p95Nanos().stream())
                .min()
                .orElse(0));
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("method", "", cells(methods, Saturated::method), false));
        columns.add(new Column(
                "saturates at", "", cells(methods, method -> method.point().toString()), false));
        columns.add(new Column(
                "rate there", "op/s", cells(methods, method -> number(method.operationsPerSecond(), 1)), true));
        columns.add(new Column(
                "p95 there", time.symbol, cells(methods, method -> number(method.p95Nanos(), time.nanos)), true));
        columns.add(new Column(
                "next step",
                "",
                cells(
                        methods,
                        method -> method.next()
                                .map(step -> "to " + step.to() + ": "
                                        + Figures.times(step.rate().orElseThrow()))
                                .orElse("")),
                false));
        columns.removeIf(column -> column.cells().stream().allMatch(String::isEmpty));
        boolean hasFloor =
                methods.stream().flatMap(method -> method.steps().stream()).anyMatch(step -> step.noiseFloor() > 0);
        return new SideTable(
                "saturation",
                "Up to how many threads the rate grows: "
                        + Figures.operation(saturation.operation(), saturation.condition()) + ", "
                        + String.join(", ", Figures.levels(saturation.condition())),
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

    private static List<String> cells(List<Saturated> methods, Function<Saturated, String> cell) {
        return methods.stream().map(cell).toList();
    }

    private static String number(OptionalDouble figure, double unit) {
        return figure.isPresent() ? Figures.number(figure.getAsDouble() / unit) : "";
    }
}
