package dev.blobmark.lab.plan;

import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Size;
import java.nio.file.Path;

/**
 * Which values a trial works on. Two trials with equal sources work on the same values.
 *
 * @param size of each value in bytes; 0 if the dataset decides the sizes
 * @param rows number of values; 0 for as many as the dataset gives
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

    /** The directory for its encoded values: no copy of a user's own values outlives the run. */
    public Path directory(Path shared, Path scratch) {
        return kind().isPrivate() ? scratch : shared;
    }

    public Values values(long seed) {
        return values(kind(), seed);
    }

    /** @param opened the dataset, where it cannot be opened by its name alone */
    public Values values(Dataset opened, long seed) {
        return rows == 0 ? opened.values(size, seed) : opened.values(size, seed, rows);
    }

    /** {@code sites 64KB}, {@code sites 1KB rows=50000}. */
    @Override
    public String toString() {
        return dataset + (size == 0 ? "" : " " + new Size(size)) + (rows == 0 ? "" : " rows=" + rows);
    }
}
