package dev.blobmark.advice;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.SizeClass;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Which candidate would be recommended for each bandwidth, and for each number of threads or size of values, by
 * forecast.
 *
 * @param title in words
 * @param rowTitle what differs between rows
 * @param bandwidths in bytes per second, from the slowest
 * @param rows from the bottom to the top
 */
public record RegimeMap(String title, String rowTitle, List<Double> bandwidths, List<RegimeRow> rows) {

    private static final int COLUMNS = 32;
    private static final int MOST_THREADS = 128;

    /**
     * @param label of the row
     * @param isOfAdvice whether it has the load of the advice
     * @param candidates ids, one for each bandwidth
     */
    public record RegimeRow(String label, boolean isOfAdvice, List<String> candidates) {}

    /** By bandwidth and threads. */
    public static RegimeMap byThreads(Advice advice) {
        Candidate chosen = advice.recommended().candidate();
        Outlook outlook = Outlook.of(advice);
        List<RegimeRow> rows = new ArrayList<>();
        for (int threads = advice.question().threads(); threads <= MOST_THREADS; threads *= 2) {
            int of = threads;
            rows.add(row(
                    Integer.toString(threads),
                    threads == advice.question().threads(),
                    advice,
                    (link, unused) ->
                            outlook.recommended(chosen, advice.question().load(link, of))));
        }
        return new RegimeMap("By bandwidth and threads", "threads", columns(), rows);
    }

    /** By bandwidth and size of values; empty if all values are of one size class, or their times are not known. */
    public static Optional<RegimeMap> bySize(Advice advice) {
        Candidate chosen = advice.recommended().candidate();
        Set<SizeClass> sizes = chosen.figures().classes().keySet();
        if (sizes.size() < 2 || !chosen.isPredictable()) {
            return Optional.empty();
        }
        Outlook outlook = Outlook.of(advice);
        List<RegimeRow> rows = sizes.stream()
                .map(size -> row(
                        size.toString(),
                        false,
                        advice,
                        (link, threads) -> outlook.recommended(
                                chosen, size, advice.question().load(link, threads))))
                .toList();
        return Optional.of(new RegimeMap("By bandwidth and size of values", "size", columns(), rows));
    }

    private static RegimeRow row(
            String label, boolean isOfAdvice, Advice advice, BiFunction<Link, Integer, String> recommended) {
        Link link = Link.parse(advice.question().link());
        return new RegimeRow(
                label,
                isOfAdvice,
                columns().stream()
                        .map(bandwidth -> recommended.apply(
                                link.withBandwidth(bandwidth), advice.question().threads()))
                        .toList());
    }

    private static List<Double> columns() {
        List<Double> bandwidths = new ArrayList<>();
        double step = Math.log(Outlook.MOST_BYTES_PER_SECOND / Outlook.LEAST_BYTES_PER_SECOND) / (COLUMNS - 1);
        for (int i = 0; i < COLUMNS; i++) {
            bandwidths.add(
                    Math.min(Outlook.MOST_BYTES_PER_SECOND, Outlook.LEAST_BYTES_PER_SECOND * Math.exp(i * step)));
        }
        return bandwidths;
    }

    /** The candidates that occur, those of the bottom row first. */
    public List<String> candidates() {
        Set<String> ids = new LinkedHashSet<>();
        rows.forEach(row -> ids.addAll(row.candidates()));
        return List.copyOf(ids);
    }

    /** The column of a bandwidth; the last one for a link without limit. */
    public int column(Link link) {
        double down = link.down().orElse(Double.POSITIVE_INFINITY);
        int column = 0;
        while (column < bandwidths.size() - 1
                && Math.sqrt(bandwidths.get(column) * bandwidths.get(column + 1)) < down) {
            column++;
        }
        return column;
    }
}
