package dev.blobmark.report;

import dev.blobmark.advice.Advice.Entry;
import dev.blobmark.advice.Candidate;
import dev.blobmark.advice.Raced;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Tone;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** The measured candidates of an advice. */
final class AdviceTable {

    private AdviceTable() {}

    /** @param entries that were raced */
    static Table of(List<Entry> entries) {
        List<Column> columns = List.of(
                Column.text("measured", entries, AdviceWords::of),
                Column.number("read µs", "", entries, entry -> Figures.number(entry.readNanos() / 1e3)),
                Column.number("to as-is", "", entries, AdviceTable::toPresent),
                Column.number("disk KB", "", entries, entry -> Figures.number(entry.diskBytes() / 1024)),
                Column.number("ratio", "", entries, entry -> ofCodec(entry, figures -> Figures.ratio(figures.ratio()))),
                Column.number(
                        "decode µs",
                        "",
                        entries,
                        entry -> ofCodec(entry, figures -> Figures.number(figures.decodeNanos() / 1e3))),
                Column.number(
                        "encode µs",
                        "",
                        entries,
                        entry -> ofCodec(entry, figures -> Figures.number(figures.encodeNanos() / 1e3))));
        return new Table(
                columns,
                Collections.nCopies(entries.size(), Tone.PLAIN),
                List.of("ratio", "decode µs"),
                true,
                List.of());
    }

    private static String toPresent(Entry entry) {
        Raced.RacedRatio ratio = entry.raced().orElseThrow().toOthers().get(Candidate.AS_IS);
        return ratio == null ? "" : AdviceDocument.signed(ratio.low()) + " to " + AdviceDocument.signed(ratio.high());
    }

    private static String ofCodec(Entry entry, Function<CodecFigures, String> figure) {
        return entry.candidate().codec().isPresent()
                ? figure.apply(entry.candidate().figures())
                : "";
    }
}
