package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.DictionaryTrainer.Trial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DictionaryTest {

    static Trial trained(int values) {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int seed = 0; seed < values; seed++) {
            trainer.add(Samples.json(seed));
        }
        return trainer.train(16_000, 3).orElseThrow();
    }

    @Test
    void smallValuesThatAreAlikeBecomeMuchSmaller() {
        Trial trial = trained(3_000);
        assertThat(trial.isWorthIt()).isTrue();
        assertThat(trial.gain()).isGreaterThan(0.3);
        assertThat(trial.low()).isBetween(0.2, trial.gain());
        assertThat(trial.values()).isEqualTo(600);

        ValueFormat without = ValueFormatTest.writing("zstd:3");
        ValueFormat with =
                ValueFormatTest.writing(ValueFormat.builder().writes("zstd:3").writesWith(trial.dictionary()));
        ValueFormat reader = ValueFormat.builder()
                .dictionaries(Dictionaries.of(trial.dictionary()))
                .build();
        long raw = 0;
        long small = 0;
        long usual = 0;
        for (int seed = 10_000; seed < 10_500; seed++) {
            byte[] value = Samples.json(seed);
            byte[] stored = with.encode(value);
            assertThat(with.decode(stored)).isEqualTo(value);
            assertThat(reader.decode(stored)).isEqualTo(value);
            raw += value.length;
            small += stored.length;
            usual += without.encode(value).length;
        }
        assertThat((double) small / usual).isBetween(1 - trial.gain() - 0.1, 1 - trial.gain() + 0.1);
        assertThat((double) raw / small).isBetween(0.9 * trial.ratio(), 1.1 * trial.ratio());
    }

    /** Values without anything in common, and long ones that hold all that a dictionary could give. */
    @Test
    void aDictionaryThatSavesLittleIsNotWorthIt() {
        DictionaryTrainer noise = new DictionaryTrainer();
        DictionaryTrainer longValues = new DictionaryTrainer();
        for (int seed = 0; seed < 1_000; seed++) {
            noise.add(Samples.noise(400, seed));
            longValues.add(Samples.text(9_000, seed));
        }
        assertThat(noise.train(16_000, 3).filter(Trial::isWorthIt)).isEmpty();
        assertThat(longValues.train(16_000, 3).filter(Trial::isWorthIt)).isEmpty();
    }

    @Test
    void fewValuesTrainNone() {
        DictionaryTrainer trainer = new DictionaryTrainer();
        assertThat(trainer.train(16_000, 3)).isEmpty();
        trainer.add(Samples.json(1));
        assertThat(trainer.train(16_000, 3)).isEmpty();
    }

    @Test
    void theSampleIsBoundedAndFair() {
        DictionaryTrainer trainer = new DictionaryTrainer(1 << 20, 3);
        for (int i = 0; i < 20_000; i++) {
            byte[] value = Samples.noise(400, i);
            value[0] = (byte) (i < 10_000 ? 0 : 1);
            trainer.add(value);
        }
        assertThat(trainer.values()).isBetween(1_000, 2_700);
        assertThatThrownBy(() -> new DictionaryTrainer(10, 1)).hasMessageContaining("sampleBytes is 10");
    }

    @Test
    void theSameValuesGiveTheSameNumber() {
        assertThat(trained(500).dictionary().number())
                .isEqualTo(trained(500).dictionary().number());
        assertThat(trained(500).dictionary().toString()).matches("dictionary [0-9a-f]{6} \\([0-9]+ bytes\\)");
    }

    @Test
    void dictionariesAreKeptAsFiles(@TempDir Path directory) throws Exception {
        Dictionary dictionary = trained(500).dictionary();
        DictionaryFiles files = DictionaryFiles.in(directory.resolve("new"));
        assertThat(files.find(dictionary.number())).isEmpty();
        Path file = files.write(dictionary);
        assertThat(files.find(dictionary.number()).orElseThrow().sha256()).isEqualTo(dictionary.sha256());
        assertThat(file.getFileName()).hasToString(Dictionary.name(dictionary.number()) + ".zdict");
        assertThat(files.write(dictionary)).isEqualTo(file);
        Files.write(file, new byte[] {1, 2, 3});
        assertThatThrownBy(() -> files.find(dictionary.number()))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("was changed");
    }

    @Test
    void anotherDictionaryThanTheOneOfTheValueIsRefused() {
        Dictionary right = trained(500).dictionary();
        Dictionary wrong = trained(600).dictionary();
        byte[] stored = ValueFormatTest.writing(
                        ValueFormat.builder().writes("zstd:3").writesWith(right))
                .encode(Samples.json(9_000));
        ValueFormat format =
                ValueFormat.builder().dictionaries(number -> Optional.of(wrong)).build();
        assertThatThrownBy(() -> format.decode(stored))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("its bytes were changed");
    }

    @Test
    void onlyZstdTakesADictionary() {
        Dictionary dictionary = trained(500).dictionary();
        for (String codec : new String[] {"lz4", "mysql:6"}) {
            assertThatThrownBy(() -> ValueFormat.builder()
                            .writes(codec)
                            .writesWith(dictionary)
                            .build())
                    .hasMessageContaining("'" + codec + "' takes no dictionary");
        }
    }

    /** The ratio falls by 10 %: found within 1,000 values, and not before. */
    @Test
    void driftIsFoundWithin1000Values() {
        DictionaryDrift drift = new DictionaryDrift(4);
        for (int i = 0; i < 5_000; i++) {
            drift.encoded(1_000, 250 + (i % 5 - 2) * 20, 0);
        }
        assertThat(drift.isDrifting()).isFalse();
        for (int i = 0; i < 1_000; i++) {
            drift.encoded(1_000, 278 + (i % 5 - 2) * 20, 0);
        }
        assertThat(drift.isDrifting()).isTrue();
    }
}
