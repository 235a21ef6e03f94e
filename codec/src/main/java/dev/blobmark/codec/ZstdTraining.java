package dev.blobmark.codec;

import com.github.luben.zstd.ZstdDictTrainer;
import com.github.luben.zstd.ZstdException;
import java.util.List;
import java.util.Optional;

/** Trains dictionaries. A class of its own, since {@link ZstdDictionary} is also loaded without the library. */
final class ZstdTraining {

    private ZstdTraining() {}

    static Optional<byte[]> train(List<byte[]> values, int maxBytes) {
        int total =
                Math.toIntExact(values.stream().mapToLong(value -> value.length).sum());
        ZstdDictTrainer trainer = new ZstdDictTrainer(Math.max(1, total), maxBytes);
        values.forEach(trainer::addSample);
        try {
            return Optional.of(trainer.trainSamples());
        } catch (ZstdException e) { // "Src size is incorrect" and others
            return Optional.empty();
        }
    }
}
