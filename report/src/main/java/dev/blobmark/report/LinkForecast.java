package dev.blobmark.report;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the methods of a run would give over other links, and at which bandwidths they change places: told from where the time went
 * over the machine's own link, and held against what was measured over emulated ones.
 */
final class LinkForecast {

    private static final String FETCH = "fetch";
    private static final String LINK = "link";

    /** Bandwidths that are shown, in bits per second. */
    private static final List<Double> SHOWN = List.of(10e6, 30e6, 100e6, 300e6, 1e9, 3e9, 10e9);

    /** What is drawn, in bits per second, and in how many steps. */
    private static final double LEAST_BITS = 1e6;

    private static final double MOST_BITS = 2e10;
    private static final int STEPS = 86;

    private static final int METHOD_WIDTH = 20;
    private static final double BITS = 8;

    private final Report report;

    /** Those that have fetched. */
    private final Map<Levels, List<Sample>> byCondition;

    LinkForecast(Report report) {
        this.report = report;
        this.byCondition = report.samples().stream()
                .filter(sample -> sample.operations().containsKey(FETCH))
                .collect(Collectors.groupingBy(Sample::condition));
    }

    /** For a terminal; says so where there is nothing to tell it from. */
    static void text(Report report, Style style, Appendable out) throws IOException {
        new LinkForecast(report).write(style, out);
    }

    private void write(Style style, Appendable out) throws IOException {
        boolean isAny = false;
        for (Ranking ranking : report.rankings()) {
            Map<String, LinkModel> models = isToldFrom(ranking) ? models(ranking) : Map.of();
            if (models.isEmpty()) {
                continue;
            }
            isAny = true;
            forecast(ranking, models, style, out);
            check(ranking, models, style, out);
        }
        if (!isAny) {
            out.append(
                    "Nothing to tell it from: no fetch over the machine's own link (link=loopback) of which it is known"
                            + " where its time went.\n");
        }
    }

    private static boolean isEmulated(Levels condition) {
        return condition
                .find(LINK)
                .map(Link.FACTOR::parse)
                .orElse(Link.LOOPBACK)
                .isEmulated();
    }

    /** By method, in the order of the ranking; the control is the baseline once more. */
    private Map<String, LinkModel> models(Ranking ranking) {
        Map<String, LinkModel> models = new LinkedHashMap<>();
        ranking.rows().stream()
                .filter(row -> !ranking.control().equals(Optional.of(row.method())))
                .forEach(row -> model(operations(ranking.condition(), row.method()), ranking.condition())
                        .ifPresent(model -> models.put(row.method(), model)));
        return models;
    }

    private static Optional<LinkModel> model(List<Operations> measured, Levels condition) {
        return LinkModel.of(
                measured, condition.find("threads").map(Integer::parseInt).orElse(1));
    }

    private List<Operations> operations(Levels condition, String method) {
        return of(byCondition.getOrDefault(condition, List.of()), method);
    }

    private void forecast(Ranking ranking, Map<String, LinkModel> models, Style style, Appendable out)
            throws IOException {
        for (String line : Tables.wrap(report.caption(ranking).get(0), Tables.WIDTH)) {
            out.append(style.bold(line)).append('\n');
        }
        out.append('\n').append(String.format("%-" + METHOD_WIDTH + "s", "MB/s over a link of"));
        for (double bits : SHOWN) {
            out.append(String.format("%10s", Link.bandwidth(bits / BITS)));
        }
        out.append('\n');
        for (var method : models.entrySet()) {
            out.append(String.format("%-" + METHOD_WIDTH + "s", method.getKey()));
            for (double bits : SHOWN) {
                out.append(String.format("%10s", megabytes(method.getValue().throughput(noDelay(bits / BITS)))));
            }
            out.append('\n');
        }
        out.append('\n');
        List<String> best = best(models);
        for (String line : best) {
            out.append(style.bold(line)).append('\n');
        }
        for (Crossing crossing : crossings(ranking, models)) {
            out.append(style.dim(crossing.words())).append('\n');
        }
        out.append('\n');
    }

    private static Link noDelay(double bytesPerSecond) {
        return Link.LOOPBACK.withBandwidth(bytesPerSecond);
    }

    private static String megabytes(double bytesPerSecond) {
        return Figures.number(bytesPerSecond / 1e6);
    }

    /** Which method is fastest from which bandwidth on. */
    private static List<String> best(Map<String, LinkModel> models) {
        List<Double> places = models.values().stream()
                .flatMap(one -> models.values().stream().flatMap(other -> one.crossings(other, Link.LOOPBACK).stream()))
                .distinct()
                .sorted()
                .toList();
        List<String> lines = new ArrayList<>();
        String leader = "";
        double from = 0;
        for (int i = 0; i <= places.size(); i++) {
            double low = i == 0 ? places.isEmpty() ? 1e8 : places.get(0) / 2 : places.get(i - 1);
            double high = i == places.size() ? low * 2 : places.get(i);
            String next = fastest(models, Math.sqrt(low * high));
            if (!next.equals(leader)) {
                if (!leader.isEmpty()) {
                    lines.add(range(from, low) + leader);
                }
                leader = next;
                from = i == 0 ? 0 : low;
            }
        }
        lines.add(range(from, Double.POSITIVE_INFINITY) + leader);
        return lines;
    }

    private static String fastest(Map<String, LinkModel> models, double bytesPerSecond) {
        return models.entrySet().stream()
                .max(Comparator.comparingDouble(model -> model.getValue().throughput(noDelay(bytesPerSecond))))
                .orElseThrow()
                .getKey();
    }

    private static String range(double from, double to) {
        String text = from == 0
                ? Double.isInfinite(to) ? "at any bandwidth" : "below " + Link.bandwidth(round(to))
                : Double.isInfinite(to)
                        ? "above " + Link.bandwidth(round(from))
                        : Link.bandwidth(round(from)) + " to " + Link.bandwidth(round(to));
        return String.format("%-26s", text);
    }

    /** To two digits: more are not known. */
    private static double round(double bytesPerSecond) {
        double bits = bytesPerSecond * BITS;
        double unit = Math.pow(10, Math.floor(Math.log10(bits)) - 1);
        return Math.round(bits / unit) * unit / BITS;
    }

    /**
     * Where two methods are equal, in bytes per second.
     *
     * @param byFork of each fork by itself, the crossing nearest to that of all, rising
     * @param measured over links that differ in bandwidth alone; empty where there were not two such links
     */
    record Crossing(String one, String other, double at, List<Double> byFork, Optional<Measured> measured) {

        /** @param at on a line, of logarithms, between two links; empty where the two were equal nowhere between the slowest and the fastest */
        record Measured(OptionalDouble at, double slowest, double fastest) {}

        String words() {
            return one + " and " + other + " are equal at " + Link.bandwidth(round(at))
                    + (byFork.size() < 2
                            ? ""
                            : " (" + Link.bandwidth(round(byFork.get(0))) + " to "
                                    + Link.bandwidth(round(byFork.get(byFork.size() - 1))) + " by fork)")
                    + measured.map(its -> its.at().isPresent()
                                    ? String.format(
                                            Locale.ROOT,
                                            "; measured: %s (%+.0f %%)",
                                            Link.bandwidth(round(its.at().getAsDouble())),
                                            100 * (at / its.at().getAsDouble() - 1))
                                    : "; measured: nowhere from " + Link.bandwidth(its.slowest()) + " to "
                                            + Link.bandwidth(its.fastest()))
                            .orElse("");
        }
    }

    /** From the slowest link on. */
    private List<Crossing> crossings(Ranking ranking, Map<String, LinkModel> models) {
        List<Crossing> crossings = new ArrayList<>();
        List<String> methods = List.copyOf(models.keySet());
        for (String one : methods) {
            for (String other : methods.subList(methods.indexOf(one) + 1, methods.size())) {
                for (double at : models.get(one).crossings(models.get(other), Link.LOOPBACK)) {
                    crossings.add(new Crossing(
                            one, other, at, byFork(ranking, one, other, at), measured(ranking, one, other, at)));
                }
            }
        }
        crossings.sort(Comparator.comparingDouble(Crossing::at));
        return crossings;
    }

    private List<Double> byFork(Ranking ranking, String method, String other, double at) {
        return byCondition.get(ranking.condition()).stream()
                .collect(Collectors.groupingBy(Sample::fork))
                .values()
                .stream()
                .flatMap(samples -> model(of(samples, method), ranking.condition()).stream()
                        .flatMap(one -> model(of(samples, other), ranking.condition()).stream()
                                .flatMap(two -> one.crossings(two, Link.LOOPBACK).stream()
                                        .min(Comparator.comparingDouble(x -> Math.abs(Math.log(x / at))))
                                        .stream())))
                .sorted()
                .toList();
    }

    private Optional<Crossing.Measured> measured(Ranking ranking, String one, String other, double at) {
        TreeMap<Double, Double> leads = new TreeMap<>();
        for (Ranking over : emulated(ranking)) {
            Link link = Link.FACTOR.of(over.condition());
            if (link.down().isPresent()
                    && link.equals(noDelay(link.down().getAsDouble()))
                    && over.find(one).isPresent()
                    && over.find(other).isPresent()) {
                leads.put(
                        Math.log(link.down().getAsDouble()),
                        Math.log(throughput(over.condition(), one) / throughput(over.condition(), other)));
            }
        }
        if (leads.size() < 2) {
            return Optional.empty();
        }
        OptionalDouble nearest = leads.entrySet().stream()
                .filter(low -> leads.higherKey(low.getKey()) != null)
                .filter(low -> low.getValue() * leads.higherEntry(low.getKey()).getValue() < 0)
                .map(low -> {
                    Map.Entry<Double, Double> high = leads.higherEntry(low.getKey());
                    double share = low.getValue() / (low.getValue() - high.getValue());
                    return Math.exp(low.getKey() + share * (high.getKey() - low.getKey()));
                })
                .min(Comparator.comparingDouble(found -> Math.abs(Math.log(found / at))))
                .map(OptionalDouble::of)
                .orElse(OptionalDouble.empty());
        return Optional.of(new Crossing.Measured(nearest, Math.exp(leads.firstKey()), Math.exp(leads.lastKey())));
    }

    private static List<Operations> of(List<Sample> samples, String method) {
        return samples.stream()
                .filter(sample -> sample.method().equals(method))
                .map(sample -> sample.operations().get(FETCH))
                .toList();
    }

    /** Fetches over emulated links under conditions that are else the same. */
    private List<Ranking> emulated(Ranking ranking) {
        Levels own = without(ranking.condition());
        return report.rankings().stream()
                .filter(other -> other.operation().equals(FETCH)
                        && other.sizes().isEmpty()
                        && isEmulated(other.condition())
                        && without(other.condition()).equals(own))
                .toList();
    }

    /**
     * A trial over an emulated link: what was foretold beside what was measured, in application bytes per second.
     *
     * @param bitsPerS of the link, from the server; empty where only its round trip is emulated
     */
    record Check(String method, String link, OptionalDouble bitsPerS, double measured, double foretold) {

        double errorPercent() {
            return 100 * (foretold / measured - 1);
        }
    }

    private List<Check> checks(Ranking ranking, Map<String, LinkModel> models) {
        List<Check> checks = new ArrayList<>();
        for (Ranking other : emulated(ranking)) {
            Link link = Link.FACTOR.of(other.condition());
            for (Ranking.Row row : other.rows()) {
                LinkModel model = models.get(row.method());
                if (model != null) {
                    checks.add(new Check(
                            row.method(),
                            link.toString(),
                            link.down().stream().map(bytes -> BITS * bytes).findFirst(),
                            throughput(other.condition(), row.method()),
                            model.throughput(link)));
                }
            }
        }
        return checks;
    }

    /**
     * What there is to draw of a ranking over the machine's own link.
     *
     * @param ranking its number among the report's
     * @param bitsPerS bandwidths, rising
     * @param curves by method: application bytes per second at each of them
     */
    record Curves(
            int ranking,
            List<Double> bitsPerS,
            Map<String, List<Double>> curves,
            List<Crossing> crossings,
            List<Check> checks) {}

    /** Of all rankings of which it can be told. */
    List<Curves> curves() {
        List<Double> bits = IntStream.rangeClosed(0, STEPS)
                .mapToObj(i -> JsonRankings.six(LEAST_BITS * Math.pow(MOST_BITS / LEAST_BITS, (double) i / STEPS)))
                .toList();
        List<Curves> all = new ArrayList<>();
        for (int i = 0; i < report.rankings().size(); i++) {
            Ranking ranking = report.rankings().get(i);
            Map<String, LinkModel> models = isToldFrom(ranking) ? models(ranking) : Map.of();
            if (!models.isEmpty()) {
                Map<String, List<Double>> curves = new LinkedHashMap<>();
                models.forEach((method, model) -> curves.put(
                        method,
                        bits.stream()
                                .map(one -> JsonRankings.six(model.throughput(noDelay(one / BITS))))
                                .toList()));
                all.add(new Curves(i, bits, curves, crossings(ranking, models), checks(ranking, models)));
            }
        }
        return all;
    }

    private static boolean isToldFrom(Ranking ranking) {
        return ranking.operation().equals(FETCH) && ranking.sizes().isEmpty() && !isEmulated(ranking.condition());
    }

    private void check(Ranking ranking, Map<String, LinkModel> models, Style style, Appendable out) throws IOException {
        List<Check> checks = checks(ranking, models);
        if (checks.isEmpty()) {
            return;
        }
        out.append(style.bold(String.format(
                        "%-" + METHOD_WIDTH + "s%-20s%12s%12s%10s", "method", "link", "measured", "foretold", "off")))
                .append('\n');
        for (Check check : checks) {
            out.append(String.format(
                    Locale.ROOT,
                    "%-" + METHOD_WIDTH + "s%-20s%12s%12s%+8.1f %%%n",
                    check.method(),
                    check.link(),
                    megabytes(check.measured()),
                    megabytes(check.foretold()),
                    check.errorPercent()));
        }
        List<Double> errors = checks.stream()
                .map(check -> Math.abs(check.errorPercent()))
                .sorted()
                .toList();
        out.append(String.format(
                Locale.ROOT,
                "%nOff by %.1f %% at the median of %d, by %.1f %% at most.%n%n",
                errors.get(errors.size() / 2),
                errors.size(),
                errors.get(errors.size() - 1)));
    }

    private double throughput(Levels condition, String method) {
        return operations(condition, method).stream()
                .mapToDouble(Operations::throughputBytesPerSecond)
                .average()
                .orElseThrow();
    }

    private static Levels without(Levels condition) {
        return condition.only(factor -> !factor.equals(LINK));
    }
}
