package dev.blobmark.advice;

import dev.blobmark.advice.Advice.Entry;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures.OfClass;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an advice would be for another link, number of threads or size of values, by forecast. Nothing is measured.
 *
 * @param advice that it is derived from
 * @param link a level of the factor {@code link}
 * @param size class of the values; empty for all values
 * @param predictions of all candidates, the fastest first
 * @param recommended id of the candidate
 */
public record WhatIf(
        Advice advice,
        String link,
        int threads,
        Optional<SizeClass> size,
        List<Prediction> predictions,
        String recommended) {

    /** The half-width of a 90 % interval, in standard deviations. */
    private static final double Z90 = 1.645;

    /** The forecast for other numbers of threads is coarser. */
    private static final double THREADS_UNCERTAINTY = 0.15;

    /**
     * A candidate's predicted time of a fetch, in nanoseconds, with its 90 % interval.
     *
     * @param wasRaced whether it was measured for the advice
     */
    public record Prediction(Entry entry, double nanos, double low, double high, boolean wasRaced) {}

    /**
     * @param bytes size of the values; empty for the values of the advice
     * @throws AdviceException if this is beyond what was measured; the message says how far a forecast reaches
     */
    public static WhatIf of(Advice advice, Link link, int threads, OptionalInt bytes) {
        check(advice, link, threads);
        Optional<SizeClass> size =
                bytes.isPresent() ? Optional.of(sizeClass(advice, bytes.getAsInt())) : Optional.empty();
        Outlook outlook = Outlook.of(advice);
        TimeForecast.ForecastLoad load = advice.question().load(link, threads);
        double uncertainty =
                outlook.uncertainty() + (threads == advice.question().threads() ? 0 : THREADS_UNCERTAINTY);
        List<Prediction> predictions = advice.entries().stream()
                .filter(entry -> entry.standing() != Advice.Standing.EXCLUDED
                        && entry.standing() != Advice.Standing.UNAVAILABLE
                        && (size.isEmpty()
                                ? entry.raced().isPresent() || entry.candidate().isPredictable()
                                : entry.candidate().isPredictable()))
                .map(entry -> {
                    double nanos = size.isPresent()
                            ? outlook.readNanos(entry, figures(entry, size.get()), load)
                            : outlook.readNanos(entry, load);
                    double factor = Math.exp(Z90 * uncertainty);
                    return new Prediction(
                            entry,
                            nanos,
                            nanos / factor,
                            nanos * factor,
                            entry.raced().isPresent());
                })
                .sorted(Comparator.comparingDouble(Prediction::nanos))
                .toList();
        Candidate chosen = advice.recommended().candidate();
        String recommended =
                size.isPresent() ? outlook.recommended(chosen, size.get(), load) : outlook.recommended(chosen, load);
        return new WhatIf(advice, link.toString(), threads, size, predictions, recommended);
    }

    private static OfClass figures(Entry entry, SizeClass size) {
        return entry.candidate().figures().classes().get(size);
    }

    private static void check(Advice advice, Link link, int threads) {
        double down = link.down().orElse(Outlook.MOST_BYTES_PER_SECOND);
        if (down < Outlook.LEAST_BYTES_PER_SECOND || down > Outlook.MOST_BYTES_PER_SECOND) {
            throw new AdviceException("the forecast reaches from " + Link.bandwidth(Outlook.LEAST_BYTES_PER_SECOND)
                    + " to " + Link.bandwidth(Outlook.MOST_BYTES_PER_SECOND) + ", not to " + link
                    + "; ask for an advice with --link");
        }
        int least = advice.forecast().curve().threads();
        if (threads < least || threads > Outlook.MOST_THREADS) {
            throw new AdviceException("the forecast reaches from " + least + " to " + Outlook.MOST_THREADS
                    + " threads, not to " + threads + "; ask for an advice with --threads " + threads);
        }
    }

    private static SizeClass sizeClass(Advice advice, int bytes) {
        SizeClass size = SizeClass.of(bytes);
        if (!advice.recommended().candidate().figures().classes().containsKey(size)) {
            throw new AdviceException(String.format(
                    Locale.ROOT,
                    "there are no values of %s among those that were measured, %d to %d bytes; codecs were not tried on"
                            + " values of this size",
                    size,
                    advice.values().min(),
                    advice.values().max()));
        }
        return size;
    }
}
