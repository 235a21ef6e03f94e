package dev.blobmark.advice;

import dev.blobmark.lab.dataset.Values;
import dev.blobmark.value.DictionaryTrainer;
import dev.blobmark.value.DictionaryTrainer.Trial;
import java.util.Locale;
import java.util.Optional;

/** Says what a dictionary would save of small values, if that is surely enough for the care that it takes. */
final class DictionaryNote {

    /** Values of this mean length and longer gain little. */
    private static final long MAX_MEAN_BYTES = 4_096;

    private static final int LEVEL = 3;

    private DictionaryNote() {}

    /** @param seed of the sample that the dictionary is trained on */
    static Optional<String> of(Values values, long seed) {
        if (values.count() == 0 || values.totalLength() / values.count() > MAX_MEAN_BYTES) {
            return Optional.empty();
        }
        DictionaryTrainer trainer = new DictionaryTrainer(DictionaryTrainer.STANDARD_SAMPLE_BYTES, seed);
        for (int i = 0; i < values.count(); i++) {
            trainer.add(values.get(i));
        }
        return trainer.train(DictionaryTrainer.STANDARD_DICTIONARY_BYTES, LEVEL)
                .filter(Trial::isWorthIt)
                .map(trial -> String.format(
                        Locale.ROOT,
                        "with a dictionary of %d KB, zstd:%d would take %.0f %% fewer bytes than without one, at least %.0f %%"
                                + " (on %d values that it was not trained on): docs/value.md",
                        Math.max(1, trial.dictionary().bytes().length >> 10),
                        LEVEL,
                        100 * trial.gain(),
                        100 * trial.low(),
                        trial.values()));
    }
}
