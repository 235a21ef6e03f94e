package dev.blobmark.bench.codec;

import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Values;
import java.util.stream.IntStream;

/** The values that benchmarks encode and decode: those of the dataset {@code sites}, as many as in a study. */
final class BenchValues {

    private static final long SEED = 42;

    private BenchValues() {}

    /** @param length of each value in bytes */
    static byte[][] of(int length) {
        Values values = Datasets.parse("sites").values(length, SEED);
        return IntStream.range(0, values.count())
                .parallel()
                .mapToObj(values::get)
                .toArray(byte[][]::new);
    }
}
