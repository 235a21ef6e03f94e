package dev.blobmark.advice;

import dev.blobmark.lab.dataset.SizeDistribution;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.survey.ValueKind;
import dev.blobmark.mysql.table.Whole;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The values that an advice is for.
 *
 * @param count of the source
 * @param bytes of the source
 * @param isEstimated whether count and bytes are estimates
 * @param sampled number of values that were looked at
 * @param min length of the shortest, in bytes
 * @param median length
 * @param max length of the longest
 * @param kind what most of them are, such as JSON
 * @param columnType of a table, as the server describes it
 */
public record AdvisedValues(
        long count,
        long bytes,
        boolean isEstimated,
        long sampled,
        int min,
        int median,
        int max,
        Optional<String> kind,
        Optional<String> columnType) {

    private static final int MOST_LOOKED_AT = 200;

    static AdvisedValues of(Values values) {
        SizeDistribution sizes = values.sizes();
        Whole whole = values.whole()
                .orElseGet(() -> new Whole(
                        sizes.count(),
                        sizes.total(),
                        false,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        Optional.empty()));
        return new AdvisedValues(
                whole.values(),
                whole.bytes(),
                whole.isEstimated(),
                sizes.count(),
                sizes.min(),
                sizes.median(),
                sizes.max(),
                kind(values),
                whole.columnType());
    }

    /** What most of the values are, by their first bytes; empty if no kind is that frequent. */
    private static Optional<String> kind(Values values) {
        int looked = Math.min(values.count(), MOST_LOOKED_AT);
        Map<ValueKind, Integer> counts = new EnumMap<>(ValueKind.class);
        for (int i = 0; i < looked; i++) {
            byte[] value = values.get((int) ((long) i * values.count() / looked));
            counts.merge(ValueKind.of(value, false), 1, Integer::sum);
        }
        return counts.entrySet().stream()
                .filter(entry -> 2 * entry.getValue() > looked)
                .map(entry -> entry.getKey().word())
                .findFirst();
    }
}
