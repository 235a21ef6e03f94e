package dev.blobmark.report;

import dev.blobmark.advice.Advice;
import dev.blobmark.advice.Advice.Entry;
import dev.blobmark.advice.Advice.Range;
import dev.blobmark.advice.Advice.Segment;
import dev.blobmark.advice.Advice.SizeSegment;
import dev.blobmark.advice.Advice.Standing;
import dev.blobmark.advice.AdviceQuestion;
import dev.blobmark.advice.AdvisedValues;
import dev.blobmark.advice.Candidate;
import dev.blobmark.advice.Money;
import dev.blobmark.advice.Raced;
import dev.blobmark.lab.link.Link;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.Facts;
import dev.blobmark.report.document.Block.Notes;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Note;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;

/** An advice for a terminal: the recommendation, what it is worth, where it changes, and how to do it. */
final class AdviceDocument {

    /** Reads that are slower by more are to be avoided. */
    private static final double SLOW = 1.3;

    private static final int MOST_AVOIDED = 2;

    private final Advice advice;
    private final Entry best;
    private final Entry present;

    private AdviceDocument(Advice advice) {
        this.advice = advice;
        best = advice.recommended();
        present = advice.present();
    }

    static Document of(Advice advice) {
        return new AdviceDocument(advice).document();
    }

    private Document document() {
        List<Section> sections = new ArrayList<>();
        sections.add(Section.of(values(), List.of(new Sentence(place(), Tone.FACT))));
        sections.add(Section.of(sentence(), List.of(new Facts(worth()))));
        sections.add(Section.untitled(new Facts(limits())));
        List<Entry> raced = advice.entries().stream()
                .filter(entry -> entry.raced().isPresent())
                .toList();
        if (!raced.isEmpty()) {
            sections.add(Section.untitled(AdviceTable.of(raced)));
        }
        List<Note> notes = notes();
        if (!notes.isEmpty()) {
            sections.add(Section.untitled(new Notes(notes)));
        }
        if (!best.candidate().isAsIs()) {
            List<Block> steps = AdviceSteps.of(
                            best.candidate(),
                            advice.origin().server(),
                            advice.question().dataset(),
                            advice.values().columnType(),
                            advice.reach().threshold())
                    .stream()
                    .map(line -> (Block) new Block.Detail(line, Tone.PLAIN))
                    .toList();
            List<Block> how = new ArrayList<>(steps);
            if (best.candidate().levels().containsKey("codec")) {
                how.add(new Notes(List.of(new Note(
                        "!",
                        "try this on a copy first, and repeat NOT NULL and other attributes of the column; readers must be"
                                + " able to decode before anything is encoded",
                        Tone.WARNING))));
            }
            sections.add(Section.of("How", how));
        }
        return new Document(sections);
    }

    /** {@code dir:photos: 1,204 values, 8.2 MB; 400 bytes to 60 KB, median 2.1 KB; looked at 1,000}. */
    private String values() {
        AdvisedValues values = advice.values();
        String sizes = values.min() == values.max()
                ? Figures.bytes(values.min()) + " each"
                : Figures.bytes(values.min()) + " to " + Figures.bytes(values.max()) + ", median "
                        + Figures.bytes(values.median());
        return advice.question().dataset() + ": " + (values.isEstimated() ? "about " : "")
                + Figures.plural(values.count(), "value") + ", " + Figures.bytes(values.bytes())
                + values.kind().map(kind -> ", " + kind).orElse("") + "; " + sizes
                + (values.sampled() < values.count() ? "; sampled " + Figures.count(values.sampled()) : "");
    }

    private String place() {
        AdviceQuestion question = advice.question();
        String network = advice.origin()
                .network()
                .map(link -> " · network " + micros(link.roundTripNanos()) + " round trip, "
                        + bandwidth(link.downBytesPerSecond()) + " down, "
                        + bandwidth(link.upBytesPerSecond()) + " up")
                .orElse("");
        return advice.origin().server() + network + " · link " + question.link() + " · "
                + AdviceWords.threads(question, question.threads())
                + " · " + String.format(Locale.ROOT, "%.0f %% reads", 100 * question.readShare()) + " · preferred: "
                + question.goal().word() + " · "
                + Figures.minute(advice.origin().time());
    }

    private String sentence() {
        return switch (best.id()) {
            case Candidate.AS_IS -> "Stay as you are: store the values as they are.";
            case "compressed-table" -> "Keep the column, and store the table with ROW_FORMAT=COMPRESSED.";
            case "compressed-pages" -> "Keep the column, and let the server compress the table's pages.";
            case "compressed-protocol" -> "Keep the table, and let the driver compress its packets.";
            default ->
                best.candidate().isDecodedByServer()
                        ? "Store them as COMPRESS() does, and read them with UNCOMPRESS() in the query."
                        : "Store them compressed by " + AdviceWords.of(best)
                                + " in a MEDIUMBLOB, decoded by the application.";
        };
    }

    private String words(String id) {
        return advice.find(id).map(AdviceWords::of).orElse(id);
    }

    private List<Fact> worth() {
        List<Fact> facts = new ArrayList<>();
        if (!best.candidate().isAsIs()) {
            facts.add(fact("size", size()));
        }
        facts.add(fact("read", read()));
        wire().ifPresent(text -> facts.add(fact("wire", text)));
        if (!best.candidate().isAsIs() && best.candidate().codec().isPresent()) {
            facts.add(fact(
                    "write", "+ " + micros(best.candidate().figures().encodeNanos()) + " of CPU to encode a value"));
        }
        advice.worth().money().flatMap(AdviceDocument::money).ifPresent(text -> facts.add(fact("money", text)));
        return facts;
    }

    /** {@code saves 12.30 EUR a month: disk -14.00, traffic -0.30, processor +2.00}; empty without a price. */
    private static Optional<String> money(Money money) {
        return money.total().map(total -> {
            List<String> parts = new ArrayList<>();
            money.disk()
                    .ifPresent(
                            x -> parts.add("disk and backups " + money.prices().text(x)));
            money.traffic()
                    .ifPresent(
                            x -> parts.add("traffic of reads " + money.prices().text(x)));
            money.processor()
                    .ifPresent(x -> parts.add(
                            "the application's processors " + money.prices().text(x)));
            return (total <= 0 ? "saves " : "costs ") + money.prices().text(Math.abs(total)) + " a month ("
                    + String.join(", ", parts)
                    + (money.operationsPerSecond() == 0
                            ? ""
                            : ", at " + Figures.number(money.operationsPerSecond()) + " operations per second")
                    + ")";
        });
    }

    /** {@code 6.0 × smaller (5.9–6.1): 8.2 GB → 1.4 GB}; on disk, if that was counted. */
    private String size() {
        double ratio = present.diskBytes() / best.diskBytes();
        String whole = Figures.bytes(
                        Math.round(present.diskBytes() * advice.values().count())) + " → "
                + Figures.bytes(Math.round(best.diskBytes() * advice.values().count())) + " on disk";
        List<Double> interval = best.candidate().figures().ratioInterval();
        String codec = best.candidate().codec().isPresent()
                ? String.format(
                        Locale.ROOT,
                        "; the codec alone %s × (%s–%s)",
                        Figures.ratio(best.candidate().figures().ratio()),
                        Figures.ratio(interval.get(0)),
                        Figures.ratio(interval.get(1)))
                : "";
        return Figures.ratio(ratio) + " × smaller: " + whole + codec;
    }

    private String read() {
        if (best.raced().isEmpty()) {
            return micros(best.readNanos()) + " by forecast";
        }
        if (best.candidate().isAsIs()) {
            return micros(best.readNanos());
        }
        String text = micros(best.readNanos()) + " instead of " + micros(present.readNanos());
        Raced.RacedRatio ratio = best.raced().get().toOthers().get(Candidate.AS_IS);
        return ratio == null ? text : text + ": " + verdict(ratio);
    }

    /** {@code 16 % less time (12 to 20 %)}, or that no difference was shown. */
    private static String verdict(Raced.RacedRatio ratio) {
        if (ratio.contains(1)) {
            return "no difference shown (" + signed(ratio.low()) + " to " + signed(ratio.high()) + ")";
        }
        boolean isLess = ratio.ratio() < 1;
        double nearer = Math.abs(1 - (isLess ? ratio.high() : ratio.low()));
        double farther = Math.abs(1 - (isLess ? ratio.low() : ratio.high()));
        return Figures.percentage(Math.abs(1 - ratio.ratio())) + (isLess ? " less" : " more") + " time ("
                + Figures.percentage(nearer).replace(" %", "") + " to " + Figures.percentage(farther) + ")";
    }

    /** {@code -16 %}, {@code +3.1 %}. */
    static String signed(double ratio) {
        double percent = 100 * (ratio - 1);
        return String.format(Locale.ROOT, Math.abs(percent) < 9.95 ? "%+.1f %%" : "%+.0f %%", percent);
    }

    private Optional<String> wire() {
        OptionalDouble ours = best.raced().map(Raced::wireBytes).orElse(OptionalDouble.empty());
        OptionalDouble theirs = present.raced().map(Raced::wireBytes).orElse(OptionalDouble.empty());
        if (ours.isEmpty() || theirs.isEmpty()) {
            return Optional.empty();
        }
        String bytes = Figures.bytes(Math.round(ours.getAsDouble()));
        return Optional.of((best.candidate().isAsIs()
                        ? bytes
                        : bytes + " instead of " + Figures.bytes(Math.round(theirs.getAsDouble())))
                + " per read");
    }

    private List<Fact> limits() {
        List<Fact> facts = new ArrayList<>();
        switch (best.candidate().reading()) {
            case LIBRARY ->
                facts.add(fact(
                        "gives up",
                        "SQL on the content (JSON functions, LIKE, indexes on it); every reader needs "
                                + AdviceWords.of(best)));
            case SQL_FUNCTION ->
                facts.add(fact("gives up", "indexes on the content; readers need UNCOMPRESS() or zlib"));
            default -> {}
        }
        advice.reach()
                .threshold()
                .ifPresent(threshold -> facts.add(fact(
                        "encode",
                        "values from " + Figures.bytes(threshold.bytes()) + " on; "
                                + Figures.percent(threshold.shorter()) + " of the values are shorter")));
        facts.add(fact("stays so", staysSo()));
        if (advice.worth().worst().isPresent()) {
            double most = advice.worth().worst().getAsDouble() - 1;
            facts.add(fact(
                    "if wrong",
                    most < 0.005
                            ? "nothing that was measured is faster"
                            : "at most " + Figures.percentage(most) + " slower than the fastest that was measured"));
        }
        advice.worth().next().flatMap(advice::find).ifPresent(next -> facts.add(fact("next best", brief(next))));
        List<String> avoided = advice.entries().stream()
                .filter(entry -> entry.standing() == Standing.RACED
                        && entry.readNanos() > SLOW * best.readNanos()
                        && !advice.worth().next().equals(Optional.of(entry.id()))
                        && entry.diskBytes() > best.diskBytes() * 0.97)
                .sorted((one, other) -> Double.compare(other.readNanos(), one.readNanos()))
                .limit(MOST_AVOIDED)
                .map(entry -> AdviceWords.of(entry) + " (" + signed(entry.readNanos() / best.readNanos()) + " time)")
                .toList();
        if (!avoided.isEmpty()) {
            facts.add(fact("avoid", String.join(", ", avoided)));
        }
        return facts;
    }

    private String brief(Entry entry) {
        return AdviceWords.of(entry) + ": "
                + Figures.bytes(Math.round(entry.diskBytes())) + " per value on disk, " + micros(entry.readNanos())
                + " per read";
    }

    /** The bandwidths and value sizes for which the same is recommended. */
    private String staysSo() {
        List<String> parts = new ArrayList<>();
        bandwidths().ifPresent(parts::add);
        threads().ifPresent(parts::add);
        sizes().ifPresent(parts::add);
        return parts.isEmpty() ? "over all links, for values of all these sizes" : String.join("; ", parts);
    }

    private Optional<String> bandwidths() {
        double present = Link.parse(advice.question().link()).down().orElse(Double.POSITIVE_INFINITY);
        return range(
                advice.reach().links(), advice.reach().surelyByLink(), present, AdviceDocument::bandwidth, "links");
    }

    private Optional<String> threads() {
        return range(
                advice.reach().threads(),
                advice.reach().surelyByThreads(),
                advice.question().threads(),
                x -> Figures.plural((long) rounded(x), "thread"),
                "numbers of threads");
    }

    /**
     * {@code above 40mbit (below 12mbit: zstd-3)}: where the recommendation holds. Between the two, the forecast cannot
     * decide. Empty if that is not known here.
     */
    private Optional<String> range(
            List<Segment> segments, Range surely, double present, DoubleFunction<String> words, String all) {
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            boolean isLast = i == segments.size() - 1;
            if (present > segment.to() && !isLast) {
                continue;
            }
            if (!segment.candidate().equals(best.id())) {
                return Optional.empty();
            }
            List<String> parts = new ArrayList<>();
            if (i > 0) {
                parts.add("above " + words.apply(surely.from()) + " (below"
                        + other(words, segment.from(), surely.from(), segments.get(i - 1)));
            }
            if (!isLast) {
                parts.add("up to " + words.apply(surely.to()) + " (above"
                        + other(words, segment.to(), surely.to(), segments.get(i + 1)));
            }
            return Optional.of(parts.isEmpty() ? "for all " + all : String.join(", ", parts));
        }
        return Optional.empty();
    }

    /** The end of {@code (below 12mbit: zstd-3)}. */
    private String other(DoubleFunction<String> words, double end, double surely, Segment other) {
        String at = words.apply(end);
        return (at.equals(words.apply(surely)) ? "" : " " + at) + ": " + words(other.candidate()) + ")";
    }

    /** Bytes per second as {@code 13mbit}. */
    private static String bandwidth(double bytesPerSecond) {
        return Link.bandwidth(rounded(8 * bytesPerSecond) / 8);
    }

    /** To two digits. */
    private static double rounded(double x) {
        double scale = Math.pow(10, Math.floor(Math.log10(x)) - 1);
        return Math.round(x / scale) * scale;
    }

    private Optional<String> sizes() {
        List<SizeSegment> others = advice.reach().sizes().stream()
                .skip(advice.reach().threshold().isPresent() ? 1 : 0) // stated by itself
                .filter(segment -> !segment.candidate().equals(best.id()))
                .toList();
        if (advice.reach().sizes().size() < 2) {
            return Optional.empty();
        }
        if (others.isEmpty()) {
            return Optional.of(
                    advice.reach().threshold().isPresent()
                            ? "for values of all sizes above"
                            : "for values of all these sizes");
        }
        return Optional.of("alone, other sizes would be better: "
                + String.join(
                        ", ",
                        others.stream()
                                .map(segment -> Figures.bytes(segment.low()) + " to " + Figures.bytes(segment.high())
                                        + " (" + Figures.percent(segment.share()) + " of the values) as "
                                        + words(segment.candidate()))
                                .toList()));
    }

    private List<Note> notes() {
        Stream<Note> unavailable = advice.entries().stream()
                .filter(entry -> entry.standing() == Standing.UNAVAILABLE)
                .map(entry -> new Note("–", entry.id() + ": " + entry.reason(), Tone.FACT));
        long forecast = advice.entries().stream()
                .filter(entry -> entry.standing() == Standing.NOT_RACED)
                .count();
        Stream<Note> others = forecast == 0
                ? Stream.of()
                : Stream.of(new Note(
                        "–",
                        Figures.plural(forecast, "candidate") + " more by forecast only; advice.json has them",
                        Tone.FACT));
        return Stream.of(unavailable, others, advice.notes().stream().map(note -> new Note("!", note, Tone.WARNING)))
                .flatMap(notes -> notes)
                .toList();
    }

    private static Fact fact(String name, String text) {
        return new Fact(name, text, Tone.PLAIN);
    }

    private static String micros(double nanos) {
        return nanos < 1e6 ? Figures.number(nanos / 1e3) + " µs" : Figures.number(nanos / 1e6) + " ms";
    }
}
