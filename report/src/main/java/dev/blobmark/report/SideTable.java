package dev.blobmark.report;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Saturation;
import java.util.List;
import java.util.stream.Stream;

/**
 * A table that stands behind the rankings.
 *
 * @param name what it is of, in a word
 * @param columns with as many cells each, at least one
 * @param reading how to read it, in a sentence or more
 */
record SideTable(String name, String title, List<Column> columns, String reading) {

    SideTable {
        columns = List.copyOf(columns);
    }

    /** All that a report has, in the order in which they are shown. */
    static List<SideTable> of(Analysis report) {
        return Stream.concat(
                        PlacementTables.of(report).stream(),
                        Saturation.of(report).stream().map(SaturationTable::of))
                .toList();
    }
}
