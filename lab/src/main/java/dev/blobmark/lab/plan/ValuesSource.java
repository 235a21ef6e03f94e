package dev.blobmark.lab.plan;

import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Size;
import java.nio.file.Path;

/**
 * The values of a trial. Trials with equal sources have the same values.
 *
 * @param size of each value in bytes; 0 if the dataset decides the sizes
 * @param rows number of values; 0 if the dataset decides it
 */
public record ValuesSource(String dataset, int size, int rows) {

    public static ValuesSource of(Design design) {
        Dataset dataset = design.get(Datasets.FACTOR);
        return new ValuesSource(
                dataset.id(),
                dataset.hasSize() ? design.get(Size.FACTOR).bytes() : 0,
                design.get(Rows.FACTOR).orElse(0));
    }

    public Dataset kind() {
        return Datasets.parse(dataset);
    }

    /** The directory for encoded values. Those of a user's own values are deleted at the end of the run. */
    public Path directory(Path shared, Path scratch) {
        return kind().isPrivate() ? scratch : shared;
    }

    public Values values(long seed) {
        return values(kind(), seed);
    }

    /** @param dataset a dataset that cannot be opened by its name alone */
    public Values values(Dataset dataset, long seed) {
        return rows == 0 ? dataset.values(size, seed) : dataset.values(size, seed, rows);
    }

    /** {@code sites 64KB}, {@code sites 1KB rows=50000}. */
    @Override
    public String toString() {
        return dataset + (size == 0 ? "" : " " + new Size(size)) + (rows == 0 ? "" : " rows=" + rows);
    }
}
