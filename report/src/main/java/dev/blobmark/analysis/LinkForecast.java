package dev.blobmark.analysis;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.Operations;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.workload.Threads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The predicted throughput of the methods of a run over other links, and the bandwidths at which two are equal. It is
 * predicted from the parts of the time over the machine's own link, and compared with measurements over emulated links.
 */
public final class LinkForecast {

    private static final String FETCH = "fetch";
    private static final String LINK = "link";

    private static final double BITS = 8;

    private final Analysis run;

    /** Samples with fetches. */
    private final Map<Levels, List<Sample>> byCondition;

    private LinkForecast(Analysis run) {
        this.run = run;
        this.byCondition = run.samples().stream()
                .filter(sample -> sample.operations().containsKey(FETCH))
                .collect(Collectors.groupingBy(Sample::condition));
    }

    /** The forecasts of all rankings that allow one. */
    public static List<RankingForecast> of(Analysis run) {
        LinkForecast forecast = new LinkForecast(run);
        return run.rankings().stream()
                .filter(LinkForecast::isBasis)
                .flatMap(ranking -> forecast.of(ranking).stream())
                .toList();
    }

    private Optional<RankingForecast> of(Ranking ranking) {
        Map<String, LinkModel> models = models(ranking);
        return models.isEmpty()
                ? Optional.empty()
                : Optional.of(new RankingForecast(
                        ranking, models, leads(models), crossings(ranking, models), checks(ranking, models)));
    }

    /**
     * The forecast of one ranking over the machine's own link.
     *
     * @param models by method, in the order of the ranking, without the control
     * @param leads from the slowest link on
     * @param crossings from the slowest link on
     * @param checks trials over emulated links under conditions that are otherwise the same
     */
    public record RankingForecast(
            Ranking ranking,
            Map<String, LinkModel> models,
            List<Lead> leads,
            List<Crossing> crossings,
            List<LinkCheck> checks) {}

    /**
     * The fastest method between two bandwidths, in bytes per second.
     *
     * @param from 0 for any
     * @param to infinite for any
     */
    public record Lead(double from, double to, String method) {}

    private static boolean isEmulated(Levels condition) {
        return condition
                .find(LINK)
                .map(Link.FACTOR::parse)
                .orElse(Link.LOOPBACK)
                .isEmulated();
    }

    /** Models by method, in the order of the ranking, without the control. */
    private Map<String, LinkModel> models(Ranking ranking) {
        Map<String, LinkModel> models = new LinkedHashMap<>();
        ranking.rows().stream()
                .filter(row -> !ranking.control().equals(Optional.of(row.method())))
                .forEach(row -> model(operations(ranking.condition(), row.method()), ranking.condition())
                        .ifPresent(model -> models.put(row.method(), model)));
        return models;
    }

    private static Optional<LinkModel> model(List<Operations> measured, Levels condition) {
        return LinkModel.of(measured, new Design(condition).get(Threads.FACTOR));
    }

    private List<Operations> operations(Levels condition, String method) {
        return of(byCondition.getOrDefault(condition, List.of()), method);
    }

    /** A link without delay. */
    public static Link noDelay(double bytesPerSecond) {
        return Link.LOOPBACK.withBandwidth(bytesPerSecond);
    }

    /** The fastest method of each range of bandwidths. */
    private static List<Lead> leads(Map<String, LinkModel> models) {
        List<Double> places = models.values().stream()
                .flatMap(model ->
                        models.values().stream().flatMap(other -> model.crossings(other, Link.LOOPBACK).stream()))
                .distinct()
                .sorted()
                .toList();
        List<Lead> leads = new ArrayList<>();
        String leader = "";
        double from = 0;
        for (int i = 0; i <= places.size(); i++) {
            double low = i == 0 ? places.isEmpty() ? 1e8 : places.get(0) / 2 : places.get(i - 1);
            double high = i == places.size() ? low * 2 : places.get(i);
            String next = fastest(models, Math.sqrt(low * high));
            if (!next.equals(leader)) {
                if (!leader.isEmpty()) {
                    leads.add(new Lead(from, low, leader));
                }
                leader = next;
                from = i == 0 ? 0 : low;
            }
        }
        leads.add(new Lead(from, Double.POSITIVE_INFINITY, leader));
        return leads;
    }

    private static String fastest(Map<String, LinkModel> models, double bytesPerSecond) {
        return models.entrySet().stream()
                .max(Comparator.comparingDouble(model -> model.getValue().throughput(noDelay(bytesPerSecond))))
                .orElseThrow()
                .getKey();
    }

    /**
     * The bandwidth at which two methods are equal, in bytes per second.
     *
     * @param byFork for each fork, its crossing nearest to that of all forks; rising
     * @param measured over links that differ only in bandwidth; empty for less than two such links
     */
    public record Crossing(
            String method, String other, double at, List<Double> byFork, Optional<MeasuredCrossing> measured) {

        /**
         * @param at on a line, in logarithms, between two links; empty if there is no crossing between the slowest and
         *     the fastest
         */
        public record MeasuredCrossing(OptionalDouble at, double slowest, double fastest) {}
    }

    /** From the slowest link on. */
    private List<Crossing> crossings(Ranking ranking, Map<String, LinkModel> models) {
        List<Crossing> crossings = new ArrayList<>();
        List<String> methods = List.copyOf(models.keySet());
        for (String method : methods) {
            for (String other : methods.subList(methods.indexOf(method) + 1, methods.size())) {
                for (double at : models.get(method).crossings(models.get(other), Link.LOOPBACK)) {
                    crossings.add(new Crossing(
                            method,
                            other,
                            at,
                            byFork(ranking, method, other, at),
                            measured(ranking, method, other, at)));
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

    private Optional<Crossing.MeasuredCrossing> measured(Ranking ranking, String one, String other, double at) {
        TreeMap<Double, Double> leads = new TreeMap<>();
        for (Ranking over : emulated(ranking)) {
            Link link = new Design(over.condition()).get(Link.FACTOR);
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
        return Optional.of(
                new Crossing.MeasuredCrossing(nearest, Math.exp(leads.firstKey()), Math.exp(leads.lastKey())));
    }

    private static List<Operations> of(List<Sample> samples, String method) {
        return samples.stream()
                .filter(sample -> sample.method().equals(method))
                .map(sample -> sample.operations().get(FETCH))
                .toList();
    }

    /** Fetches over emulated links under conditions that are otherwise the same. */
    private List<Ranking> emulated(Ranking ranking) {
        Levels own = without(ranking.condition());
        return run.rankings().stream()
                .filter(other -> other.operation().equals(FETCH)
                        && other.sizes().isEmpty()
                        && isEmulated(other.condition())
                        && without(other.condition()).equals(own))
                .toList();
    }

    /**
     * A trial over an emulated link: the forecast and the measurement, in application bytes per second.
     *
     * @param bitsPerS of the link, from the server; empty if only the round trip is emulated
     */
    public record LinkCheck(String method, String link, OptionalDouble bitsPerS, double measured, double predicted) {

        public double errorPercent() {
            return 100 * (predicted / measured - 1);
        }
    }

    private List<LinkCheck> checks(Ranking ranking, Map<String, LinkModel> models) {
        List<LinkCheck> checks = new ArrayList<>();
        for (Ranking other : emulated(ranking)) {
            Link link = new Design(other.condition()).get(Link.FACTOR);
            for (Ranking.Row row : other.rows()) {
                LinkModel model = models.get(row.method());
                if (model != null) {
                    checks.add(new LinkCheck(
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

    private static boolean isBasis(Ranking ranking) {
        return ranking.operation().equals(FETCH) && ranking.sizes().isEmpty() && !isEmulated(ranking.condition());
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
