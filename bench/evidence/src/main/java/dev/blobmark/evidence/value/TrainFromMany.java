package dev.blobmark.evidence.value;

import dev.blobmark.bench.value.SmallJson;
import dev.blobmark.value.DictionaryTrainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Trains a dictionary on a stream of values: {@code TrainFromMany GIGABYTES}. Memory must not grow with their number.
 */
public final class TrainFromMany {

    /** Number of seeds, after which values repeat. */
    private static final int DISTINCT = 200_000;

    private TrainFromMany() {}

    public static void main(String[] args) throws IOException {
        long wanted = Long.parseLong(args[0]) * 1_000_000_000L;
        DictionaryTrainer trainer = new DictionaryTrainer();
        long bytes = 0;
        long values = 0;
        long begin = System.nanoTime();
        while (bytes < wanted) {
            byte[] value = SmallJson.value(values % DISTINCT);
            trainer.add(value);
            bytes += value.length;
            values++;
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        begin = System.nanoTime();
        DictionaryTrainer.Trial trial =
                trainer.train(DictionaryTrainer.STANDARD_DICTIONARY_BYTES, 3).orElseThrow();
        System.out.printf(
                "%,d values, %.1f GB in %.0f s with making them; %,d kept; training %.1f s; gain %.1f %%, at least %.1f %%; the"
                        + " process had at most %s of memory%n",
                values,
                bytes / 1e9,
                seconds,
                trainer.values(),
                (System.nanoTime() - begin) / 1e9,
                100 * trial.gain(),
                100 * trial.low(),
                Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("VmHWM"))
                        .map(line -> line.substring(6).strip())
                        .findFirst()
                        .orElse("unknown"));
    }
}
