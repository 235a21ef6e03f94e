package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.DictionaryTrainer.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        ValueFormat with = ValueFormatTest.writing(ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(trial.dictionary())
                .dictionaries(Dictionaries.of(trial.dictionary())));
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

    /** Of a dictionary of 16 KB, 0.6 % of the ratio; of one of 64 KB that is filled with values, 2.3 %. */
    @Test
    void leavingOutWhatFewValuesHaveCostsLittle() {
        DictionaryTrainer trainer = new DictionaryTrainer();
        for (int seed = 0; seed < 3_000; seed++) {
            trainer.add(Samples.json(seed));
        }
        Trial any = trainer.train(16_000, 3, 1).orElseThrow();
        Trial usual = trainer.train(16_000, 3).orElseThrow();
        assertThat(usual.ratio()).isBetween(0.98 * any.ratio(), any.ratio());
        assertThat(usual.dictionary().sha256())
                .isEqualTo(trainer.train(16_000, 3, DictionaryTrainer.STANDARD_MIN_VALUES)
                        .orElseThrow()
                        .dictionary()
                        .sha256())
                .isNotEqualTo(any.dictionary().sha256());
        assertThatThrownBy(() -> trainer.train(16_000, 3, 0)).hasMessage("minValues is 0; it is at least 1");
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
        ValueDictionary dictionary = trained(500).dictionary();
        DictionaryFiles files = DictionaryFiles.in(directory.resolve("new"));
        assertThat(files.find(dictionary.number())).isEmpty();
        Path file = files.write(dictionary);
        assertThat(files.find(dictionary.number()).orElseThrow().sha256()).isEqualTo(dictionary.sha256());
        assertThat(file.getFileName()).hasToString(ValueDictionary.name(dictionary.number()) + ".zdict");
        assertThat(files.write(dictionary)).isEqualTo(file);
        Files.write(file, new byte[] {1, 2, 3});
        assertThatThrownBy(() -> files.find(dictionary.number()))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("was changed");
    }

    @Test
    void anotherDictionaryThanTheOneOfTheValueIsRefused() {
        ValueDictionary right = trained(500).dictionary();
        ValueDictionary wrong = trained(600).dictionary();
        byte[] stored = ValueFormatTest.writing(
                        ValueFormat.builder().writes("zstd:3").writesWith(right).dictionaries(Dictionaries.of(right)))
                .encode(Samples.json(9_000));
        ValueFormat format =
                ValueFormat.builder().dictionaries(number -> Optional.of(wrong)).build();
        assertThatThrownBy(() -> format.decode(stored))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("its bytes were changed");
    }

    @Test
    void onlyZstdTakesADictionary() {
        ValueDictionary dictionary = trained(500).dictionary();
        for (String codec : new String[] {"lz4", "mysql:6"}) {
            assertThatThrownBy(() -> ValueFormat.builder()
                            .writes(codec)
                            .writesWith(dictionary)
                            .dictionaries(Dictionaries.of(dictionary))
                            .readsSql()
                            .build())
                    .hasMessageContaining("'" + codec + "' takes no dictionary");
        }
    }

    @Test
    void aDictionaryThatReadersDoNotFindIsNotWrittenWith() {
        ValueDictionary dictionary = trained(500).dictionary();
        ValueDictionary other = trained(600).dictionary();
        for (Dictionaries dictionaries :
                List.<Dictionaries>of(Dictionaries.NONE, Dictionaries.of(other), number -> Optional.of(other))) {
            assertThatThrownBy(() -> ValueFormat.builder()
                            .writes("zstd:3")
                            .writesWith(dictionary)
                            .dictionaries(dictionaries)
                            .build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is not found where readers look for it");
        }
    }

    @Test
    void nothingIsWrittenWithADictionaryThatWasWithdrawn() {
        ValueDictionary dictionary = trained(500).dictionary();
        boolean[] isWithdrawn = {false};
        Dictionaries dictionaries = new Dictionaries() {
            @Override
            public Optional<ValueDictionary> find(int number) {
                return Optional.of(dictionary);
            }

            @Override
            public boolean isWithdrawn(int number) {
                return isWithdrawn[0];
            }
        };
        ValueFormat format = ValueFormatTest.writing(
                ValueFormat.builder().writes("zstd:3").writesWith(dictionary).dictionaries(dictionaries));
        byte[] value = Samples.json(9_000);
        byte[] stored = format.encode(value);
        assertThat(stored.length).isLessThan(value.length);
        isWithdrawn[0] = true;
        assertThat(format.encode(value)).isSameAs(value);
        assertThat(format.decode(stored)).isEqualTo(value);
        format.stopWriting();
        assertThatThrownBy(format::startWriting).hasMessageContaining("was withdrawn");
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

    @Test
    void whatIsNoDictionaryIsRefusedWithAReason() {
        byte[] malformed = {0x37, (byte) 0xA4, 0x30, (byte) 0xEC, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        assertThatThrownBy(() -> ValueDictionary.of(malformed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("14 bytes are no dictionary of zstd");
        assertThatThrownBy(() -> ValueDictionary.of(new byte[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFileWhoseBytesAreNoDictionaryIsAnErrorOfTheDictionary(@TempDir Path directory) throws IOException {
        byte[] malformed = {0x37, (byte) 0xA4, 0x30, (byte) 0xEC, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        int number = ValueDictionary.number(ValueDictionary.sha256(malformed));
        DictionaryFiles files = DictionaryFiles.in(directory);
        Path file = files.write(trained(500).dictionary());
        Files.write(
                file.resolveSibling(
                        file.getFileName().toString().replaceFirst("[0-9a-f]{6}", ValueDictionary.name(number))),
                malformed);
        assertThatThrownBy(() -> files.find(number))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("no dictionary of zstd");
        Files.write(file, malformed);
        int changed = trained(500).dictionary().number();
        assertThatThrownBy(() -> files.find(changed))
                .isInstanceOf(DictionaryException.class)
                .hasMessageContaining("was changed");
    }

    @Test
    void aDictionaryThatIsGivenTwiceIsRefused() {
        ValueDictionary one = ValueDictionary.of("hello world hello world".getBytes());
        assertThatThrownBy(() -> Dictionaries.of(one, one))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the number " + ValueDictionary.name(one.number()));
    }

    @Test
    void whatIsNoCodecCannotBeRead() {
        ValueFormat format = ValueFormat.builder().build();
        for (String codec : new String[] {"", ":", "+", "::3", "zst", "zstd-3"}) {
            assertThat(format.canRead(codec)).as(codec).isFalse();
            assertThatThrownBy(() -> ValueFormat.builder().requires(codec).build())
                    .isInstanceOf(UnsupportedOperationException.class);
        }
        assertThat(format.canRead("zstd:3")).isTrue();
    }
}
