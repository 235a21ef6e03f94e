package dev.blobmark.analysis.survey;

import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.survey.ValueKind;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What compressing a column would save, all of whose values were read. Totals are exact; what codecs do is measured on
 * a sample of each size class, in which each class has its exact share.
 *
 * @param name of the column
 * @param missing rows without a value
 * @param unread values that are too long to be read; they are in the totals only
 * @param classes all values, by size class
 * @param distinct number of different values, by estimate
 * @param longest length of the longest value
 * @param kinds number of values of the sample, by kind
 * @param codecs on the values of the sample, the one with the smallest values first
 */
public record WholeColumnFinding(
        String name,
        long missing,
        long unread,
        SortedMap<SizeClass, SizeTotals> classes,
        double distinct,
        long longest,
        Map<ValueKind, Integer> kinds,
        List<CodecFigures> codecs) {

    /** All values of a size class. */
    public record SizeTotals(long rows, long bytes) {}

    public WholeColumnFinding {
        classes = new TreeMap<>(classes);
        kinds = new TreeMap<>(kinds);
        codecs = List.copyOf(codecs);
    }

    public long rows() {
        return classes.values().stream().mapToLong(SizeTotals::rows).sum();
    }

    public long bytes() {
        return classes.values().stream().mapToLong(SizeTotals::bytes).sum();
    }
}
