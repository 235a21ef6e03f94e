package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.LinkForecast;
import dev.blobmark.analysis.LinkForecast.Crossing;
import dev.blobmark.analysis.LinkForecast.LinkCheck;
import dev.blobmark.analysis.LinkForecast.RankingForecast;
import dev.blobmark.lab.link.Link;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** The predicted throughput of the methods of a run over other links: as a document, and as curves for the page. */
final class LinkDocument {

    /** Bandwidths of the table, in bits per second. */
    private static final List<Double> SHOWN = List.of(10e6, 30e6, 100e6, 300e6, 1e9, 3e9, 10e9);

    /** The bandwidths of a curve, in bits per second, and their number. */
    private static final double LEAST_BITS = 1e6;

    private static final double MOST_BITS = 2e10;
    private static final int STEPS = 86;

    private static final double BITS = 8;

    private LinkDocument() {}

    static Document of(Analysis run) {
        List<Section> sections = new ArrayList<>();
        for (RankingForecast forecast : LinkForecast.of(run)) {
            String caption = Captions.of(run, forecast.ranking()).get(0);
            sections.add(Section.of(
                    "Throughput over other links, predicted from " + caption, List.of(Table.of(throughput(forecast)))));
            sections.add(Section.of(
                    "The fastest method by bandwidth", List.of(Table.of(leads(forecast)), crossings(forecast))));
            if (!forecast.checks().isEmpty()) {
                sections.add(Section.of(
                        "Predicted and measured over emulated links",
                        List.of(Table.of(checks(forecast.checks())), errors(forecast.checks()))));
            }
        }
        if (sections.isEmpty()) {
            sections.add(Section.untitled(new Sentence(
                    "Nothing can be predicted: the run has no fetch over the machine's own link (link="
                            + Link.inWords(
                                    Link.LOOPBACK.toString(), run.manifest().isRemote())
                            + ") whose time is known by its parts.",
                    Tone.PLAIN)));
        }
        return new Document(sections);
    }

    private static List<Column> throughput(RankingForecast forecast) {
        List<String> methods = List.copyOf(forecast.models().keySet());
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("method", methods, method -> method));
        for (double bits : SHOWN) {
            Link link = LinkForecast.noDelay(bits / BITS);
            columns.add(Column.number(
                    Link.bandwidth(bits / BITS),
                    "MB/s",
                    methods,
                    method -> megabytes(forecast.models().get(method).throughput(link))));
        }
        return columns;
    }

    private static List<Column> leads(RankingForecast forecast) {
        return List.of(
                Column.text("bandwidth", forecast.leads(), lead -> range(lead.from(), lead.to())),
                Column.text("fastest", forecast.leads(), LinkForecast.Lead::method));
    }

    private static Notes crossings(RankingForecast forecast) {
        return new Notes(forecast.crossings().stream()
                .map(crossing -> new Note("·", words(crossing), Tone.FACT))
                .toList());
    }

    private static List<Column> checks(List<LinkCheck> checks) {
        return List.of(
                Column.text("method", checks, LinkCheck::method),
                Column.text("link", checks, LinkCheck::link),
                Column.number("measured", "MB/s", checks, check -> megabytes(check.measured())),
                Column.number("predicted", "MB/s", checks, check -> megabytes(check.predicted())),
                Column.number(
                        "error", "", checks, check -> String.format(Locale.ROOT, "%+.1f %%", check.errorPercent())));
    }

    private static Notes errors(List<LinkCheck> checks) {
        double[] errors = checks.stream()
                .mapToDouble(check -> Math.abs(check.errorPercent()))
                .sorted()
                .toArray();
        String text = String.format(
                Locale.ROOT,
                "The median error of %d is %.1f %%, the largest %.1f %%.",
                errors.length,
                errors[errors.length / 2],
                errors[errors.length - 1]);
        return new Notes(List.of(new Note("·", text, Tone.FACT)));
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
        return crossing.method() + " and " + crossing.other() + " are equal at " + rounded(crossing.at())
                + (byFork.size() < 2
                        ? ""
                        : " (" + rounded(byFork.get(0)) + " to " + rounded(byFork.get(byFork.size() - 1)) + " by fork)")
                + crossing.measured()
                        .map(measured -> "; measured: " + words(crossing.at(), measured))
                        .orElse("");
    }

    private static String words(double at, Crossing.MeasuredCrossing measured) {
        return measured.at().isPresent()
                ? String.format(
                        Locale.ROOT,
                        "%s (%+.0f %%)",
                        rounded(measured.at().getAsDouble()),
                        100 * (at / measured.at().getAsDouble() - 1))
                : "no crossing from " + Link.bandwidth(measured.slowest()) + " to "
                        + Link.bandwidth(measured.fastest());
    }

    /** A bandwidth with two digits; more are not significant. */
    private static String rounded(double bytesPerSecond) {
        double bits = bytesPerSecond * BITS;
        double unit = Math.pow(10, Math.floor(Math.log10(bits)) - 1);
        return Link.bandwidth(Math.round(bits / unit) * unit / BITS);
    }

    /**
     * The curves of a forecast.
     *
     * @param ranking index among the rankings of the run
     * @param bitsPerS bandwidths, rising
     * @param curves by method: application bytes per second at each bandwidth
     */
    record ForecastCurves(
            int ranking,
            List<Double> bitsPerS,
            Map<String, List<Double>> curves,
            List<Crossing> crossings,
            List<LinkCheck> checks) {}

    /** The curves of all forecasts of a run. */
    static List<ForecastCurves> curves(Analysis run) {
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
                    return new ForecastCurves(
                            run.rankings().indexOf(forecast.ranking()),
                            bits,
                            curves,
                            forecast.crossings(),
                            forecast.checks());
                })
                .toList();
    }
}
