package dev.blobmark.lab.survey;

import dev.blobmark.mysql.table.TableColumn;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a survey found about a column: a record of {@code survey.jsonl}. It has figures and no values.
 *
 * @param type as in a table definition: {@code mediumtext}
 * @param tableRows as the server estimates; counted if the sample is of all rows
 * @param tableBytes of the table's data with all of its columns, as the server estimates
 * @param compression by which the server compresses it already; empty for none
 * @param notRead why there is no sample
 * @param sample empty if there is a reason
 */
public record SurveyedColumn(
        String schema,
        String table,
        String column,
        String type,
        long tableRows,
        long tableBytes,
        String compression,
        Optional<String> notRead,
        Optional<ColumnSample> sample) {

    /**
     * Figures of a sample.
     *
     * @param isWhole whether all rows of the table were read
     * @param values that were encoded
     * @param medianBytes of the values' lengths
     * @param cut number of values that were cut: only their first bytes were encoded
     * @param readBytes lengths of all values that the server has read
     * @param skipped rows without a value that was encoded, by reason
     * @param kinds number of values, by {@link ValueKind}
     * @param ranges of the key, in the order in which they were read
     */
    public record ColumnSample(
            boolean isWhole,
            int values,
            long medianBytes,
            int cut,
            long readBytes,
            Map<String, Integer> skipped,
            Map<ValueKind, Integer> kinds,
            List<RangeSums> ranges) {

        public ColumnSample {
            skipped = Collections.unmodifiableMap(new TreeMap<>(skipped));
            kinds = Collections.unmodifiableMap(new TreeMap<>(kinds));
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * Sums over the rows that one statement has read.
     *
     * @param rows with and without a value
     * @param bytes of the values that were encoded
     * @param encoded bytes by codec; those of values that were cut are extrapolated
     */
    public record RangeSums(int rows, int values, long bytes, Map<String, Long> encoded) {

        public RangeSums {
            encoded = Collections.unmodifiableMap(new TreeMap<>(encoded));
        }
    }

    /** The same column without a sample. */
    static SurveyedColumn notRead(FoundColumn found, String reason) {
        return new SurveyedColumn(
                found.schema(),
                found.table(),
                found.column(),
                found.type(),
                found.tableRows(),
                found.tableBytes(),
                found.compression(),
                Optional.of(reason),
                Optional.empty());
    }

    /** {@code SCHEMA.TABLE.COLUMN}, with backquotes where a name has a dot. */
    public String name() {
        return TableColumn.of(schema, table, column).name();
    }

    /** Bytes of values that the server has read for it. */
    public long readBytes() {
        return sample.map(ColumnSample::readBytes).orElse(0L);
    }
}
