package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.LinkForecast;
import dev.blobmark.analysis.LinkForecast.Check;
import dev.blobmark.analysis.LinkForecast.Crossing;
import dev.blobmark.analysis.LinkForecast.Forecast;
import dev.blobmark.analysis.LinkForecast.Lead;
import dev.blobmark.lab.link.Link;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** What the methods of a run would give over other links: for a terminal, and as curves for the page. */
final class LinkText {

    /** Bandwidths that are shown, in bits per second. */
    private static final List<Double> SHOWN = List.of(10e6, 30e6, 100e6, 300e6, 1e9, 3e9, 10e9);

    /** The bandwidths of a curve, in bits per second, and their number. */
    private static final double LEAST_BITS = 1e6;

    private static final double MOST_BITS = 2e10;
    private static final int STEPS = 86;

    private static final int METHOD_WIDTH = 20;
    private static final double BITS = 8;

    private LinkText() {}

    /** Says so where no ranking allows a forecast. */
    static void write(Analysis run, Style style, Appendable out) throws IOException {
        List<Forecast> forecasts = LinkForecast.of(run);
        for (Forecast forecast : forecasts) {
            forecast(run, forecast, style, out);
            if (!forecast.checks().isEmpty()) {
                check(forecast.checks(), style, out);
            }
        }
        if (forecasts.isEmpty()) {
            out.append(
                    "Nothing to tell it from: no fetch over the machine's own link (link=loopback) of which it is known"
                            + " where its time went.\n");
        }
    }

    private static void forecast(Analysis run, Forecast forecast, Style style, Appendable out) throws IOException {
        Tables.lines(Captions.of(run, forecast.ranking()).get(0), Tables.WIDTH, style::bold, out);
        out.append('\n').append(String.format("%-" + METHOD_WIDTH + "s", "MB/s over a link of"));
        for (double bits : SHOWN) {
            out.append(String.format("%10s", Link.bandwidth(bits / BITS)));
        }
        out.append('\n');
        for (var method : forecast.models().entrySet()) {
            out.append(String.format("%-" + METHOD_WIDTH + "s", method.getKey()));
            for (double bits : SHOWN) {
                out.append(String.format(
                        "%10s", megabytes(method.getValue().throughput(LinkForecast.noDelay(bits / BITS)))));
            }
            out.append('\n');
        }
        out.append('\n');
        for (Lead lead : forecast.leads()) {
            out.append(style.bold(String.format("%-26s", range(lead.from(), lead.to())) + lead.method()))
                    .append('\n');
        }
        for (Crossing crossing : forecast.crossings()) {
            out.append(style.dim(words(crossing))).append('\n');
        }
        out.append('\n');
    }

    private static String megabytes(double bytesPerSecond) {
        return Figures.number(bytesPerSecond / 1e6);
    }

    private static String range(double from, double to) {
        if (from == 0) {
            return Double.isInfinite(to) ? "at any bandwidth" : "below " + rounded(to);
        }
        return Double.isInfinite(to) ? "above " + rounded(from) : rounded(from) + " to " + rounded(to);
    }

    private static String words(Crossing crossing) {
        List<Double> byFork = crossing.byFork();
        return crossing.one() + " and " + crossing.other() + " are equal at " + rounded(crossing.at())
                + (byFork.size() < 2
                        ? ""
                        : " (" + rounded(byFork.get(0)) + " to " + rounded(byFork.get(byFork.size() - 1)) + " by fork)")
                + crossing.measured()
                        .map(measured -> "; measured: " + words(crossing.at(), measured))
                        .orElse("");
    }

    private static String words(double at, Crossing.Measured measured) {
        return measured.at().isPresent()
                ? String.format(
                        Locale.ROOT,
                        "%s (%+.0f %%)",
                        rounded(measured.at().getAsDouble()),
                        100 * (at / measured.at().getAsDouble() - 1))
                : "nowhere from " + Link.bandwidth(measured.slowest()) + " to " + Link.bandwidth(measured.fastest());
    }

    /** To two digits: more are not known. */
    private static String rounded(double bytesPerSecond) {
        double bits = bytesPerSecond * BITS;
        double unit = Math.pow(10, Math.floor(Math.log10(bits)) - 1);
        return Link.bandwidth(Math.round(bits / unit) * unit / BITS);
    }

    private static void check(List<Check> checks, Style style, Appendable out) throws IOException {
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

    /**
     * What there is to draw of a forecast.
     *
     * @param ranking index among the rankings of the run
     * @param bitsPerS bandwidths, rising
     * @param curves by method: application bytes per second at each bandwidth
     */
    record Curves(
            int ranking,
            List<Double> bitsPerS,
            Map<String, List<Double>> curves,
            List<Crossing> crossings,
            List<Check> checks) {}

    /** Of all forecasts of a run. */
    static List<Curves> curves(Analysis run) {
        List<Double> bits = IntStream.rangeClosed(0, STEPS)
                .mapToObj(i -> JsonRankings.six(LEAST_BITS * Math.pow(MOST_BITS / LEAST_BITS, (double) i / STEPS)))
                .toList();
        return LinkForecast.of(run).stream()
                .map(forecast -> {
                    Map<String, List<Double>> curves = new LinkedHashMap<>();
                    forecast.models()
                            .forEach((method, model) -> curves.put(
                                    method,
                                    bits.stream()
                                            .map(at ->
                                                    JsonRankings.six(model.throughput(LinkForecast.noDelay(at / BITS))))
                                            .toList()));
                    return new Curves(
                            run.rankings().indexOf(forecast.ranking()),
                            bits,
                            curves,
                            forecast.crossings(),
                            forecast.checks());
                })
                .toList();
    }
}
