package dev.blobmark.advice;

import dev.blobmark.advice.Advice.Entry;
import dev.blobmark.advice.Advice.Segment;
import dev.blobmark.advice.Advice.Standing;
import dev.blobmark.analysis.LinkModel;
import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures.OfClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;

/**
 * What would be recommended for another link, number of threads or size of values. The forecast decides, corrected by
 * how much longer fetches took in the race than was predicted. A recommendation changes only where it no longer holds,
 * see {@link Choice#holds}.
 */
final class Outlook {

    static final double LEAST_BYTES_PER_SECOND = 1e6 / 8;
    static final double MOST_BYTES_PER_SECOND = 40e9 / 8;
    static final int MOST_THREADS = 256;
    private static final int STEPS = 240;

    private final AdviceQuestion question;
    private final TimeForecast forecast;
    private final List<Entry> entries;
    private final Map<String, Double> errors;
    private final double diskOverhead;
    private final double uncertainty;

    /** @param entries of all candidates; those that are excluded or unavailable are left out */
    Outlook(AdviceQuestion question, TimeForecast forecast, List<Entry> entries) {
        this.question = question;
        this.forecast = forecast;
        this.entries = entries.stream()
                .filter(entry -> entry.standing() != Standing.EXCLUDED
                        && entry.standing() != Standing.UNAVAILABLE
                        && (entry.raced().isPresent() || entry.candidate().isPredictable()))
                .toList();
        errors = errors();
        uncertainty = spread();
        diskOverhead = this.entries.stream()
                .filter(entry -> entry.candidate().isPredictable())
                .flatMapToDouble(entry -> entry.raced().map(Raced::diskBytes).orElse(OptionalDouble.empty()).stream()
                        .map(disk -> disk / entry.candidate().figures().storedBytes()))
                .average()
                .orElse(1);
    }

    static Outlook of(Advice advice) {
        return new Outlook(advice.question(), advice.forecast(), advice.entries());
    }

    /** How much longer a fetch took than predicted; for a candidate that was not raced, as for those that were. */
    private Map<String, Double> errors() {
        Map<String, Double> found = new LinkedHashMap<>();
        for (Entry entry : entries) {
            entry.raced()
                    .ifPresent(raced -> found.put(
                            entry.id(),
                            raced.readNanos()
                                    - forecast.readNanos(entry.candidate().figures(), question.load())));
        }
        double mean = entries.stream()
                .filter(entry -> entry.candidate().isPredictable() && found.containsKey(entry.id()))
                .mapToDouble(entry -> found.get(entry.id()))
                .average()
                .orElse(0);
        entries.forEach(entry -> found.putIfAbsent(entry.id(), mean));
        return found;
    }

    /** The standard deviation of the forecast's relative errors in the race, without their mean; at least 3 %. */
    double uncertainty() {
        return uncertainty;
    }

    private double spread() {
        double[] relative = entries.stream()
                .filter(entry ->
                        entry.candidate().isPredictable() && entry.raced().isPresent())
                .mapToDouble(entry -> errors.get(entry.id()) / entry.readNanos())
                .toArray();
        double mean = Arrays.stream(relative).average().orElse(0);
        double squares =
                Arrays.stream(relative).map(x -> (x - mean) * (x - mean)).sum();
        return Math.max(0.03, relative.length < 2 ? 0.1 : Math.sqrt(squares / (relative.length - 1)));
    }

    /**
     * Nanoseconds of a fetch under a load. If the parts of its time were measured, those of the link follow from them;
     * otherwise from the forecast.
     */
    double readNanos(Entry entry, TimeForecast.ForecastLoad load) {
        Optional<LinkModel> parts = entry.raced().flatMap(Raced::parts);
        if (parts.isEmpty() || load.threads() != question.threads()) {
            return corrected(entry, forecast.readNanos(entry.candidate().figures(), load));
        }
        return entry.readNanos() + parts.get().nanos(load.link()) - parts.get().nanos(Link.parse(question.link()));
    }

    /** Nanoseconds of a fetch of values of one size class. {@code of} has the codec's figures on these. */
    double readNanos(Entry entry, OfClass of, TimeForecast.ForecastLoad load) {
        return corrected(entry, forecast.readNanos(of, load));
    }

    private double corrected(Entry entry, double nanos) {
        return Math.max(0.2 * nanos, nanos + errors.get(entry.id()));
    }

    private List<Choice.Contender> contenders(TimeForecast.ForecastLoad load) {
        return entries.stream()
                .map(entry -> new Choice.Contender(
                        entry.candidate(),
                        question.cost(
                                readNanos(entry, load),
                                TimeForecast.writeNanos(entry.candidate().figures(), load.link())),
                        diskBytes(entry, entry.candidate().figures().storedBytes(), true)))
                .toList();
    }

    private List<Choice.Contender> contenders(SizeClass size, TimeForecast.ForecastLoad load) {
        return entries.stream()
                .filter(entry -> entry.candidate().isPredictable())
                .map(entry -> {
                    OfClass of = entry.candidate().figures().classes().get(size);
                    return new Choice.Contender(
                            entry.candidate(),
                            question.cost(readNanos(entry, of, load), TimeForecast.writeNanos(of, load.link())),
                            diskBytes(entry, of.storedBytes(), false));
                })
                .toList();
    }

    private double diskBytes(Entry entry, double storedBytes, boolean isOfAll) {
        OptionalDouble disk = entry.raced().map(Raced::diskBytes).orElse(OptionalDouble.empty());
        return isOfAll ? disk.orElse(storedBytes * diskOverhead) : storedBytes;
    }

    /** The id of the candidate that is recommended under a load: the given one, if it holds. */
    String recommended(Candidate chosen, TimeForecast.ForecastLoad load) {
        return chosen(chosen, contenders(load), uncertainty);
    }

    /** The same for the values of one size class. */
    String recommended(Candidate chosen, SizeClass size, TimeForecast.ForecastLoad load) {
        return chosen(chosen, contenders(size, load), 0);
    }

    private String chosen(Candidate chosen, List<Choice.Contender> contenders, double unsure) {
        return Choice.holds(chosen, contenders, question.goal(), unsure)
                ? chosen.id()
                : Choice.of(contenders, question.goal()).orElseThrow().id();
    }

    /** By bandwidth in bytes per second, with the round trip of the question. */
    List<Segment> byBandwidth(Candidate chosen) {
        Link link = Link.parse(question.link());
        return segments(
                LEAST_BYTES_PER_SECOND,
                MOST_BYTES_PER_SECOND,
                x -> recommended(chosen, question.load(link.withBandwidth(x), question.threads())));
    }

    /** By the number of threads, from that of the curve on. */
    List<Segment> byThreads(Candidate chosen) {
        Link link = Link.parse(question.link());
        return segments(
                question.threads(), MOST_THREADS, x -> recommended(chosen, question.load(link, (int) Math.round(x))));
    }

    /** Bandwidths around that of the question where a candidate is recommended even without allowing for errors. */
    Advice.Range surelyByLink(Candidate chosen) {
        Link link = Link.parse(question.link());
        return around(
                LEAST_BYTES_PER_SECOND,
                MOST_BYTES_PER_SECOND,
                link.down().orElse(MOST_BYTES_PER_SECOND),
                x -> isSurely(chosen, question.load(link.withBandwidth(x), question.threads())));
    }

    /** The same for numbers of threads from that of the question on. */
    Advice.Range surelyByThreads(Candidate chosen) {
        Link link = Link.parse(question.link());
        return around(
                question.threads(),
                MOST_THREADS,
                question.threads(),
                x -> isSurely(chosen, question.load(link, (int) Math.round(x))));
    }

    private boolean isSurely(Candidate chosen, TimeForecast.ForecastLoad load) {
        return Choice.holds(chosen, contenders(load), question.goal(), 0);
    }

    /** The largest range around a place whose steps all have a property; the place alone if it does not have it. */
    private static Advice.Range around(double from, double to, double place, DoublePredicate property) {
        double at = Math.max(from, Math.min(to, place));
        double step = Math.exp(Math.log(to / from) / STEPS);
        double low = at;
        double high = at;
        if (property.test(at)) {
            while (low > from && property.test(Math.max(from, low / step))) {
                low = Math.max(from, low / step);
            }
            while (high < to && property.test(Math.min(to, high * step))) {
                high = Math.min(to, high * step);
            }
        }
        return new Advice.Range(low, high);
    }

    private static List<Segment> segments(double from, double to, DoubleFunction<String> recommended) {
        List<Segment> segments = new ArrayList<>();
        double step = Math.log(to / from) / STEPS;
        for (int i = 0; i <= STEPS; i++) {
            double x = from * Math.exp(i * step);
            String id = recommended.apply(x);
            Segment last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
            if (last != null && last.candidate().equals(id)) {
                segments.set(segments.size() - 1, new Segment(last.from(), x, id));
            } else {
                segments.add(new Segment(last == null ? x : last.to(), x, id));
            }
        }
        return segments;
    }
}
