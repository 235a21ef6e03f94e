package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.ProjectedValues;
import dev.blobmark.analysis.Saturation;
import dev.blobmark.report.document.Block.Detail;
import dev.blobmark.report.document.Block.Table;
import dev.blobmark.report.document.Column;
import dev.blobmark.report.document.Document.Section;
import dev.blobmark.report.document.Tone;
import java.util.List;
import java.util.stream.Stream;

/**
 * A table behind the rankings.
 *
 * @param name its subject in a word
 * @param columns each with the same number of cells; at least one
 * @param reading how to read it
 */
record SideTable(String name, String title, List<Column> columns, String reading) {

    SideTable {
        columns = List.copyOf(columns);
    }

    /** All tables of a report, in the order in which they are shown. */
    static List<SideTable> of(Analysis report) {
        return Stream.of(
                        PlacementTables.of(report).stream(),
                        PageTimesTable.of(report).stream(),
                        Saturation.of(report).stream()
                                .map(saturation -> SaturationTable.of(saturation, LevelWords.of(report))),
                        ProjectedValues.of(report).stream().map(OwnValuesTable::of))
                .flatMap(tables -> tables)
                .toList();
    }

    Section section() {
        return Section.of(title, List.of(Table.of(columns), new Detail(reading, Tone.FACT)));
    }
}
