package dev.blobmark.report;

import dev.blobmark.lab.link.Link;
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
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the methods of a run would give over other links, and at which bandwidths they change places: told from where the time went
 * over the machine's own link, and held against what was measured over emulated ones.
 */
final class LinkForecast {

    private static final String FETCH = "fetch";
    private static final String LINK = "link";

    /** Bandwidths that are shown, in bits per second. */
    private static final List<Double> SHOWN = List.of(10e6, 30e6, 100e6, 300e6, 1e9, 3e9, 10e9);

    private static final int METHOD_WIDTH = 20;
    private static final double BITS = 8;

    private final Report report;

    LinkForecast(Report report) {
        this.report = report;
    }

    /** For a terminal; says so where there is nothing to tell it from. */
    static void text(Report report, Style style, Appendable out) throws IOException {
        new LinkForecast(report).write(style, out);
    }

    private void write(Style style, Appendable out) throws IOException {
        boolean isAny = false;
        for (Ranking ranking : report.rankings()) {
            if (!ranking.operation().equals(FETCH) || ranking.sizes().isPresent() || isEmulated(ranking.condition())) {
                continue;
            }
            Map<String, LinkModel> models = models(ranking);
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

    private static Optional<LinkModel> model(List<Sample.Operations> measured, Levels condition) {
        return LinkModel.of(
                measured, condition.find("threads").map(Integer::parseInt).orElse(1));
    }

    private List<Sample.Operations> operations(Levels condition, String method) {
        return report.samples().stream()
                .filter(sample ->
                        sample.condition().equals(condition) && sample.method().equals(method))
                .flatMap(sample -> Optional.ofNullable(sample.operations().get(FETCH)).stream())
                .toList();
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
        for (String line : crossings(ranking, models)) {
            out.append(style.dim(line)).append('\n');
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

    /** Where two methods are equal, from the slowest link on, with the lowest and the highest of the forks. */
    private List<String> crossings(Ranking ranking, Map<String, LinkModel> models) {
        Map<String, Double> places = new LinkedHashMap<>();
        List<String> methods = List.copyOf(models.keySet());
        for (String one : methods) {
            for (String other : methods.subList(methods.indexOf(one) + 1, methods.size())) {
                for (double at : models.get(one).crossings(models.get(other), Link.LOOPBACK)) {
                    places.put(
                            one + " and " + other + " are equal at " + Link.bandwidth(round(at))
                                    + byFork(ranking, one, other, at) + measured(ranking, one, other, at),
                            at);
                }
            }
        }
        return places.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Of each fork by itself, the crossing that is nearest to that of all. */
    private String byFork(Ranking ranking, String method, String other, double at) {
        List<Double> found = report.samples().stream()
                .filter(sample -> sample.condition().equals(ranking.condition())
                        && sample.operations().containsKey(FETCH))
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
        return found.size() < 2
                ? ""
                : " (" + Link.bandwidth(round(found.get(0))) + " to "
                        + Link.bandwidth(round(found.get(found.size() - 1))) + " by fork)";
    }

    /**
     * Where they were equal as measured over links that differ in bandwidth alone: on a line, of logarithms, between the two links
     * around it. Empty where there are not two such links.
     */
    private String measured(Ranking ranking, String one, String other, double at) {
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
            return "";
        }
        return leads.entrySet().stream()
                .filter(low -> leads.higherKey(low.getKey()) != null)
                .filter(low -> low.getValue() * leads.higherEntry(low.getKey()).getValue() < 0)
                .map(low -> {
                    Map.Entry<Double, Double> high = leads.higherEntry(low.getKey());
                    double share = low.getValue() / (low.getValue() - high.getValue());
                    return Math.exp(low.getKey() + share * (high.getKey() - low.getKey()));
                })
                .min(Comparator.comparingDouble(found -> Math.abs(Math.log(found / at))))
                .map(found -> String.format(
                        Locale.ROOT, "; measured: %s (%+.0f %%)", Link.bandwidth(round(found)), 100 * (at / found - 1)))
                .orElse("; measured: nowhere from " + Link.bandwidth(Math.exp(leads.firstKey())) + " to "
                        + Link.bandwidth(Math.exp(leads.lastKey())));
    }

    private static List<Sample.Operations> of(List<Sample> samples, String method) {
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

    /** What was foretold beside what was measured. */
    private void check(Ranking ranking, Map<String, LinkModel> models, Style style, Appendable out) throws IOException {
        List<Double> errors = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        for (Ranking other : emulated(ranking)) {
            Link link = Link.FACTOR.of(other.condition());
            for (Ranking.Row row : other.rows()) {
                LinkModel model = models.get(row.method());
                if (model == null) {
                    continue;
                }
                double measured = throughput(other.condition(), row.method());
                double error = 100 * (model.throughput(link) / measured - 1);
                errors.add(Math.abs(error));
                lines.append(String.format(
                        Locale.ROOT,
                        "%-" + METHOD_WIDTH + "s%-20s%12s%12s%+8.1f %%%n",
                        row.method(),
                        link,
                        megabytes(measured),
                        megabytes(model.throughput(link)),
                        error));
            }
        }
        if (errors.isEmpty()) {
            return;
        }
        out.append(style.bold(String.format(
                        "%-" + METHOD_WIDTH + "s%-20s%12s%12s%10s", "method", "link", "measured", "foretold", "off")))
                .append('\n')
                .append(lines);
        errors.sort(null);
        out.append(String.format(
                Locale.ROOT,
                "%nOff by %.1f %% at the median of %d, by %.1f %% at most.%n%n",
                errors.get(errors.size() / 2),
                errors.size(),
                errors.get(errors.size() - 1)));
    }

    private double throughput(Levels condition, String method) {
        return operations(condition, method).stream()
                .mapToDouble(Sample.Operations::throughputBytesPerSecond)
                .average()
                .orElseThrow();
    }

    private static Levels without(Levels condition) {
        return condition.only(factor -> !factor.equals(LINK));
    }
}
