package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.report.document.Block;
import dev.blobmark.report.document.Block.Fact;
import dev.blobmark.report.document.Block.Facts;
import dev.blobmark.report.document.Block.Folded;
import dev.blobmark.report.document.Block.Sentence;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Block.Verbatim;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a reader needs to check a run: samples that lack something, servers, tables, the manifest. */
final class EvidenceDocument {

    private EvidenceDocument() {}

    static Document of(Analysis report) {
        Manifest manifest = report.manifest();
        List<Block> how = new ArrayList<>();
        manifest.servers().forEach((name, server) -> {
            how.add(new Folded(
                    "Variables of " + name + ": " + server.product() + " " + server.version(),
                    List.of(entries("variable", server.variables()))));
            if (!server.cluster().isEmpty()) {
                how.add(new Folded(
                        "Cluster of " + name + ": " + server.cluster().getOrDefault("data_nodes", "unknown")
                                + " data nodes",
                        List.of(entries("parameter", server.cluster()))));
            }
        });
        if (!manifest.stores().isEmpty()) {
            how.add(new Folded(
                    "Tables and their statements (" + manifest.stores().size() + ")",
                    manifest.stores().stream()
                            .flatMap(store -> Stream.<Block>of(new Verbatim(store.ddl()), facts(store)))
                            .toList()));
        }
        how.add(new Folded("Manifest", List.of(new Verbatim(pretty(manifest)))));
        return new Document(List.of(
                Section.of(
                        "Trials that failed, are unavailable, were not steady or have a flag",
                        List.of(troubles(report))),
                Section.of("What was measured, and how", how)));
    }

    private static String pretty(Manifest manifest) {
        return JsonRankings.MAPPER
                .writerWithDefaultPrettyPrinter()
                .writeValueAsString(JsonRankings.MAPPER.readTree(manifest.toJson()));
    }

    private static Table entries(String head, SortedMap<String, String> entries) {
        List<Entry<String, String>> rows = List.copyOf(entries.entrySet());
        return Table.of(List.of(Column.text(head, rows, Entry::getKey), Column.text("value", rows, Entry::getValue)));
    }

    /** Samples with the same trouble are counted. */
    private static Block troubles(Analysis report) {
        Map<List<String>, Long> counts = report.samples().stream()
                .filter(sample -> !(sample.outcome() instanceof Outcome.Measured)
                        || !sample.flags().isEmpty())
                .collect(Collectors.groupingBy(EvidenceDocument::trouble, LinkedHashMap::new, Collectors.counting()));
        List<Entry<List<String>, Long>> rows = List.copyOf(counts.entrySet());
        if (rows.isEmpty()) {
            return new Sentence("None.", Tone.PLAIN);
        }
        List<Column> columns = new ArrayList<>();
        List<String> heads = List.of("method", "outcome", "reason", "flags", "events", "trial");
        for (int i = 0; i < heads.size(); i++) {
            int column = i;
            columns.add(Column.text(heads.get(i), rows, row -> row.getKey().get(column)));
        }
        columns.add(Column.number("samples", "", rows, row -> Figures.count(row.getValue())));
        return Table.of(columns);
    }

    private static List<String> trouble(Sample sample) {
        return List.of(
                sample.method(),
                sample.outcome().word(),
                sample.outcome().reason(),
                String.join("; ", sample.flags()),
                String.join("; ", sample.events()),
                sample.trial().id());
    }

    private static Facts facts(LoadedStore store) {
        OptionalLong inRow = store.placement().inRow();
        return new Facts(List.of(
                fact("For", join(store.factors().byFactor(), level -> level.getKey() + " " + level.getValue(), ", ")),
                fact(
                        "Rows",
                        store.content().rows()
                                + (inRow.isPresent()
                                        ? ", " + inRow.getAsLong()
                                                + " of them with all bytes of their value in their row"
                                        : "")),
                fact("Bytes", bytes(store)),
                fact("Read back", join(store.verified(), said -> said.getKey() + ": " + said.getValue(), "; "))));
    }

    private static Fact fact(String name, String text) {
        return new Fact(name, text, Tone.PLAIN);
    }

    private static String join(Map<String, String> entries, Function<Entry<String, String>, String> words, String by) {
        return entries.entrySet().stream().map(words).collect(Collectors.joining(by));
    }

    /** The space that the values of a store take. */
    private static String bytes(LoadedStore store) {
        List<String> parts = new ArrayList<>();
        parts.add(store.content().applicationBytes() + " of the application");
        parts.add(store.content().storedBytes() + " stored");
        parts.add((store.disk().allocatedBytes().isPresent()
                        ? Long.toString(store.disk().allocatedBytes().getAsLong())
                        : "unknown")
                + " on disk");
        store.disk().usedBytes().ifPresent(used -> parts.add(used + " of these in used pages"));
        store.placement().memoryBytes().ifPresent(memory -> parts.add(memory + " in memory"));
        store.placement()
                .parts()
                .ifPresent(table -> parts.add(table.memoryBytes() + " of these in parts of " + table.partBytes()
                        + ", after " + table.inlineBytes() + " inline"));
        return String.join(", ", parts);
    }
}
