package dev.blobmark.report;

import dev.blobmark.analysis.survey.ColumnFinding;
import dev.blobmark.analysis.survey.EstimatedFigure;
import dev.blobmark.analysis.survey.SurveyFindings;
import dev.blobmark.lab.survey.LeftOut;
import dev.blobmark.lab.survey.SurveyDirectory;
import dev.blobmark.lab.survey.SurveyEnding;
import dev.blobmark.lab.survey.SurveyedColumn;
import dev.blobmark.lab.survey.ValueKind;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Commands;
import dev.blobmark.report.document.Block.Conclusion;
import dev.blobmark.report.document.Block.Detail;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.Facts;
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
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;

/** What a survey found, as a document. */
final class SurveyDocument {

    /** Columns for which a command is suggested. */
    private static final int MOST_COMMANDS = 3;

    /** Names that are listed for a reason; others are counted. */
    private static final int MOST_NAMES = 6;

    /** What is compressed by less is called random. */
    private static final double RANDOM_RATIO = 1.05;

    private static final String PLAIN_WORD = "[\\w./:@%+-]+";

    private final SurveyFindings findings;
    private final SurveyDirectory.Header header;

    private SurveyDocument(SurveyFindings findings) {
        this.findings = findings;
        header = findings.survey().header();
    }

    static Document of(SurveyFindings findings) {
        return new SurveyDocument(findings).document();
    }

    private Document document() {
        List<Section> sections = new ArrayList<>();
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Conclusion(conclusion(), true));
        blocks.add(new Facts(facts()));
        if (!findings.columns().isEmpty()) {
            blocks.add(table());
            blocks.add(new Detail(reading(), Tone.FACT));
        }
        List<Note> notes = notes();
        if (!notes.isEmpty()) {
            blocks.add(new Notes(notes));
        }
        sections.add(Section.of("Columns of " + header.server() + " that are worth compressing", blocks));
        List<Note> leftOut = leftOut();
        if (!leftOut.isEmpty()) {
            sections.add(new Section("Not read", Tone.WARNING, List.of(new Notes(leftOut))));
        }
        return new Document(sections);
    }

    private List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        int columns = findings.survey().columns().size();
        facts.add(new Fact(
                "Survey",
                columns + " of " + Figures.plural(header.columns(), "column") + " in tables of "
                        + Figures.bytes(header.options().minTableBytes()) + " and more, "
                        + Figures.minute(header.startedAt())
                        + ", " + ending(),
                columns < header.columns() ? Tone.WARNING : Tone.PLAIN));
        facts.add(new Fact(
                "Read",
                Figures.bytes(findings.survey().readBytes()) + " of values, of at most "
                        + Figures.bytes(header.options().maxReadBytes()) + " (--max-read); no statement longer than "
                        + header.options().statementMillis() + " ms",
                Tone.PLAIN));
        return facts;
    }

    private String ending() {
        return findings.end()
                .map(end -> switch (end.ending()) {
                    case COMPLETE -> "complete";
                    case MAX_READ -> "ended by --max-read";
                    case INTERRUPTED -> "interrupted";
                    case CRITICAL_LOAD -> "ended by --critical-load";
                    case WATCH_LOST -> "ended because the server's load could not be read";
                })
                .orElse("still going, or killed");
    }

    private List<Block> conclusion() {
        List<ColumnFinding> worth =
                findings.columns().stream().filter(ColumnFinding::isWorthALook).toList();
        List<Block> blocks = new ArrayList<>();
        if (worth.isEmpty()) {
            blocks.add(new Sentence(
                    findings.columns().isEmpty()
                            ? "No column was read."
                            : "No column is worth compressing: none would be smaller by a tenth.",
                    Tone.STRONG));
        } else {
            blocks.add(new Sentence(
                    Figures.plural(worth.size(), "column") + " of "
                            + findings.columns().size()
                            + " would be smaller by " + bytes(findings.saving()) + " together"
                            + cost(findings.saving(), " (", " a month)") + ", of " + bytes(findings.now())
                            + ". To measure the first ones with their own values:",
                    Tone.STRONG));
            blocks.add(new Commands(worth.stream()
                    .limit(MOST_COMMANDS)
                    .map(finding -> "blobmark advise --data "
                            + quoted(finding.column().name()) + " --server " + quoted(findings.server()))
                    .toList()));
        }
        boolean isPartial = findings.end()
                .map(SurveyDirectory.SurveyEnd::ending)
                .filter(ending -> ending == SurveyEnding.COMPLETE)
                .isEmpty();
        if (isPartial) {
            blocks.add(new Sentence("The survey is not complete. --resume continues it.", Tone.WARNING));
        }
        return blocks;
    }

    private String cost(double bytes, String before, String after) {
        return findings.prices()
                .flatMap(prices -> optional(prices.storedMonth(bytes)).map(cost -> before + prices.text(cost) + after))
                .orElse("");
    }

    private static Optional<Double> optional(OptionalDouble figure) {
        return figure.isPresent() ? Optional.of(figure.getAsDouble()) : Optional.empty();
    }

    /** A word of a shell. */
    private static String quoted(String word) {
        return word.matches(PLAIN_WORD) ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private Table table() {
        List<ColumnFinding> rows = findings.columns();
        List<Column> columns = new ArrayList<>();
        columns.add(Column.text("column", rows, finding -> finding.column().name()));
        columns.add(Column.number(
                "rows", "", rows, finding -> Figures.count(finding.column().tableRows())));
        columns.add(Column.number("mean", "", rows, finding -> Figures.bytes(Math.round(finding.meanBytes()))));
        columns.add(Column.number(
                "median",
                "",
                rows,
                finding -> Figures.bytes(finding.column().sample().orElseThrow().medianBytes())));
        columns.add(Column.number("now", "", rows, finding -> Figures.bytes(Math.round(finding.now()))));
        columns.add(Column.text("with", rows, ColumnFinding::codec));
        columns.add(Column.text("ratio", rows, finding -> ratio(finding.ratio())));
        columns.add(Column.text("saving", rows, finding -> saving(finding.saving())));
        if (findings.prices().isPresent()) {
            columns.add(Column.number(
                    "a month", "", rows, finding -> cost(finding.saving().value(), "", "")));
            columns.removeIf(column -> column.head().equals("a month") && column.isEmpty());
        }
        columns.add(Column.text("what it is", rows, SurveyDocument::kind));
        List<Tone> tones = rows.stream()
                .map(finding -> finding.isWorthALook() ? Tone.PLAIN : Tone.FACT)
                .toList();
        return new Table(columns, tones, List.of("with", "median", "mean", "rows"));
    }

    /** {@code 3.40 × (3.12–3.61)}. */
    private static String ratio(EstimatedFigure ratio) {
        return Figures.ratio(ratio.value()) + " ×" + interval(ratio, Figures::ratio, "");
    }

    /** {@code 41 GB (38–44)}, {@code 1.1 GB (990 MB–1.2 GB)}: ends have their units if these differ. */
    private static String saving(EstimatedFigure saving) {
        String value = bytes(saving.value());
        return value + interval(saving, SurveyDocument::bytes, value.replaceFirst("^[^ ]+", ""));
    }

    private static String bytes(double bytes) {
        return Figures.bytes(Math.round(bytes));
    }

    /** The interval in parentheses; empty if there is none, or if its ends look alike. */
    private static String interval(EstimatedFigure estimate, DoubleFunction<String> text, String unit) {
        return estimate.interval()
                .map(interval -> List.of(text.apply(interval.low()), text.apply(interval.high())))
                .filter(ends -> !ends.get(0).equals(ends.get(1)))
                .map(ends -> ends.stream().allMatch(end -> end.endsWith(unit))
                        ? ends.stream()
                                .map(end -> end.substring(0, end.length() - unit.length()))
                                .toList()
                        : ends)
                .map(ends -> " (" + String.join("–", ends) + ")")
                .orElse("");
    }

    /** {@code JSON}, {@code 60 % already JPEG; 40 % already PNG}, {@code random}. */
    static String kind(ColumnFinding finding) {
        SurveyedColumn.ColumnSample sample = finding.column().sample().orElseThrow();
        return sample.kinds().entrySet().stream()
                .sorted(Map.Entry.<ValueKind, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(kind -> share(kind.getValue(), sample.values()) + word(kind.getKey(), finding))
                .reduce((a, b) -> a + "; " + b)
                .orElse("");
    }

    private static String share(int part, int of) {
        return part == of ? "" : Figures.percentage((double) part / of) + " ";
    }

    private static String word(ValueKind kind, ColumnFinding finding) {
        if (kind == ValueKind.BYTES && finding.ratio().value() < RANDOM_RATIO) {
            return "random";
        }
        return (kind.isCompressed() ? "already " : "") + kind.word();
    }

    private static String reading() {
        return "now: rows times the mean length of a row's value, at most the table's data. with: the codec that makes the"
                + " column smallest, of lz4, zlib as COMPRESS() writes it, zstd:3 and zstd:9. Each value is compressed by"
                + " itself. In parentheses: intervals of 90 %; none where the key was read at fewer than eight positions or"
                + " all rows were read. They do not include that rows is the server's estimate, which can be wrong by half.";
    }

    private List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        for (ColumnFinding finding : findings.columns()) {
            SurveyedColumn column = finding.column();
            finding.betterDictionary()
                    .ifPresent(ratio -> notes.add(new Note(
                            "·",
                            column.name() + ": many small values; zstd with a dictionary would give "
                                    + Figures.ratio(ratio) + " ×",
                            Tone.PLAIN)));
            if (!column.compression().isEmpty()) {
                notes.add(new Note(
                        "·",
                        column.name() + ": the server compresses it already (" + column.compression()
                                + "), and the ratio is of its decompressed bytes",
                        Tone.WARNING));
            }
            SurveyedColumn.ColumnSample sample = column.sample().orElseThrow();
            sample.skipped().entrySet().stream()
                    .filter(skipped -> skipped.getKey().startsWith("took longer"))
                    .forEach(skipped -> notes.add(new Note(
                            "·",
                            column.name() + ": " + Figures.plural(skipped.getValue(), "row") + " " + skipped.getKey()
                                    + (skipped.getValue() == 1
                                            ? " and is not in the sample; it may be the longest"
                                            : " and are not in the sample; they may be the longest"),
                            Tone.WARNING)));
        }
        return notes;
    }

    private record Omission(String name, String reason) {}

    private List<Note> leftOut() {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        Stream.concat(
                        findings.notRead().stream()
                                .map(column -> new Omission(
                                        column.name(), column.notRead().orElseThrow())),
                        header.leftOut().stream().map(left -> new Omission(name(left), left.reason())))
                .forEach(omission -> byReason.computeIfAbsent(omission.reason, reason -> new ArrayList<>())
                        .add(omission.name));
        return byReason.entrySet().stream()
                .map(entry -> new Note("–", names(entry.getValue()) + ": " + entry.getKey(), Tone.PLAIN))
                .toList();
    }

    private static String names(List<String> names) {
        int more = names.size() - MOST_NAMES;
        return String.join(", ", names.subList(0, Math.min(names.size(), MOST_NAMES)))
                + (more > 0 ? String.format(Locale.ROOT, " and %,d more", more) : "");
    }

    static String name(LeftOut left) {
        return Stream.of(Optional.of(left.schema()), left.table(), left.column())
                .flatMap(Optional::stream)
                .reduce((a, b) -> a + "." + b)
                .orElseThrow();
    }
}
