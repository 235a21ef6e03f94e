package dev.blobmark.analysis;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Manifest.MeasuredDataset;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.table.Whole;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What each method of a ranking would make of all of a user's values; the measured ones may be a sample.
 *
 * @param ranking of fetches, of all sizes together
 * @param whole all values of the dataset
 */
public record ProjectedValues(Ranking ranking, MeasuredDataset dataset, Whole whole, List<MethodTotals> methods) {

    /**
     * The figures of a method; empty if unknown.
     *
     * @param columnBytes of all values as they are in the column: the bytes of all values ÷ the compression ratio of
     *     the measured ones
     * @param diskBytes of the pages that all values would take, in the proportion of the measured ones
     * @param readNanos time to read a value and decode it, by the metric of the ranking; the mean if that is no time
     * @param wireBytes per value, in both directions
     * @param encodeNanos CPU time to encode a value of mean length in the application; 0 if nothing is encoded there
     */
    public record MethodTotals(
            String method,
            OptionalDouble columnBytes,
            OptionalDouble diskBytes,
            OptionalDouble readNanos,
            OptionalDouble wireBytes,
            OptionalDouble encodeNanos) {}

    /** One for each ranking of fetches from the user's own values. */
    public static List<ProjectedValues> of(Analysis report) {
        return report.rankings().stream()
                .filter(ranking -> ranking.sizes().isEmpty()
                        && ranking.operation().equals("fetch")
                        && ranking.best().isPresent())
                .flatMap(ranking -> report.manifest().datasets().stream()
                        .filter(dataset -> MeasuredDataset.idOf(new Design(ranking.condition()))
                                .equals(Optional.of(dataset.id())))
                        .flatMap(dataset -> dataset.whole().map(whole -> of(ranking, dataset, whole)).stream()))
                .toList();
    }

    private static ProjectedValues of(Ranking ranking, MeasuredDataset dataset, Whole whole) {
        double meanBytes = (double) dataset.distribution().get("total") / dataset.count();
        return new ProjectedValues(
                ranking,
                dataset,
                whole,
                ranking.rows().stream()
                        .filter(row -> !ranking.control().equals(Optional.of(row.method())))
                        .map(row -> new MethodTotals(
                                row.method(),
                                divided(whole.bytes(), row.median(Metric.COMPRESSION_RATIO)),
                                divided(whole.bytes(), row.stored().bytesPerUsedByte()),
                                readNanos(ranking, row),
                                row.wireBytes(),
                                divided(1e9 * meanBytes, row.stored().encodedBytesPerSecond())))
                        .toList());
    }

    private static OptionalDouble readNanos(Ranking ranking, Ranking.Row row) {
        return ranking.metric().unit().isTime()
                ? OptionalDouble.of(row.figure(ranking.metric()))
                : row.median(Metric.MEAN);
    }

    private static OptionalDouble divided(double by, OptionalDouble divisor) {
        return divisor.orElse(0) > 0 ? OptionalDouble.of(by / divisor.getAsDouble()) : OptionalDouble.empty();
    }

    /** The figures of a method; empty if it was not measured. */
    public Optional<MethodTotals> find(String method) {
        return methods.stream()
                .filter(candidate -> candidate.method.equals(method))
                .findFirst();
    }
}
