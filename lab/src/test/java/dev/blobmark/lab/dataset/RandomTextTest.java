package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RandomTextTest {

    private static final String LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    abstract static class Contract extends GeneratedDatasetContract {

        private final String alphabet;

        Contract(String alphabet) {
            this.alphabet = alphabet;
        }

        @Override
        Dataset dataset() {
            return Datasets.parse("random:" + alphabet.length());
        }

        /** Chi-squared of a million characters: its mean is n - 1, its deviation √(2(n - 1)). */
        @Test
        void drawsItsAlphabetUniformly() {
            byte[] value = dataset().values(1_000_000, SEED).get(0);
            int[] seen = new int[128];
            for (byte letter : value) {
                seen[letter]++;
            }
            double expected = value.length / (double) alphabet.length();
            double chiSquared = 0;
            for (byte letter : alphabet.getBytes(US_ASCII)) {
                chiSquared += (seen[letter] - expected) * (seen[letter] - expected) / expected;
                seen[letter] = 0;
            }
            assertThat(seen).as("characters outside the alphabet").containsOnly(0);
            int freedom = alphabet.length() - 1;
            assertThat(chiSquared).isLessThan(freedom + 5 * Math.sqrt(2 * freedom));
        }

        /** Neighbours too: a lane that served two characters, or two lanes of the same bits, would show here. */
        @Test
        void drawsPairsUniformly() {
            byte[] value = dataset().values(1_000_000, SEED).get(1);
            int n = alphabet.length();
            int[] seen = new int[n * n];
            for (int i = 1; i < value.length; i++) {
                seen[alphabet.indexOf(value[i - 1]) * n + alphabet.indexOf(value[i])]++;
            }
            double expected = (value.length - 1) / (double) seen.length;
            double chiSquared = 0;
            for (int count : seen) {
                chiSquared += (count - expected) * (count - expected) / expected;
            }
            int freedom = n * n - n; // the overlap of pairs takes n - 1 from n² - 1
            assertThat(chiSquared).isLessThan(freedom + 5 * Math.sqrt(2 * freedom));
        }

        @Test
        void countsNoMoreValuesThanThereAre() {
            int n = alphabet.length();
            assertThat(dataset().values(1, SEED).count()).isEqualTo(n);
            assertThat(dataset().values(2, SEED).count()).isEqualTo(Math.min(1_000, n * n));
            assertThat(dataset().values(10, SEED).count()).isEqualTo(1_000);
        }
    }

    @Nested
    class LettersAndDigits extends Contract {

        LettersAndDigits() {
            super(LETTERS_AND_DIGITS);
        }

        @Override
        Map<Integer, String> goldenDigests() {
            return Map.of(
                    1, "66dacaba22bb3a21a2a4fda75086aa99ed864e6a08525ccaf94cb0b6fa27ea8c",
                    5, "1bda2688e96acd04eff069a1600973641221fe61bb5ab48eef868c18dd8f3d76",
                    1_000, "946c7044460e627776970320a2aa3ae820fa7ee7c5cac9a1376e42840f924359");
        }
    }

    @Nested
    class Digits extends Contract {

        Digits() {
            super("0123456789");
        }

        @Override
        Map<Integer, String> goldenDigests() {
            return Map.of(
                    1, "1855fc4141b928f6f122f4bd175c9673f0173df08a06b9fa1e2cb6588599acf0",
                    5, "9553f1d80d8c8926256dac1cdf8e77ae2d435a471be9caf49d1f35828485682a",
                    1_000, "967184b900f06233ecca54fb4a4bb9bfbbd14f69680da9af3e5cef3600933f2d");
        }
    }

    @Nested
    class FourDigits extends Contract {

        FourDigits() {
            super("0123");
        }

        @Override
        Map<Integer, String> goldenDigests() {
            return Map.of(
                    1, "d5858ff2f8436c9787cf21da6c3ee48608f43d23c35d1a1deae52a5a8a6d7277",
                    5, "e2337aaf071fd4a8a1f92b5081a599c31a6fe67a38a2378afa9d52a42dfefe21",
                    1_000, "62f05782e1661a51bdb1473d05eeceb6b528fe81b722cd3406299d342453426c");
        }
    }

    @Nested
    class TwoDigits extends Contract {

        TwoDigits() {
            super("01");
        }

        @Override
        Map<Integer, String> goldenDigests() {
            return Map.of(
                    1, "76043c528ddd154214e10d6a0cd97be096f759a77300a514d9b668a86f0ec620",
                    5, "9dad232d1a31fe6eb5f54d2094b73dbb70a291d87839bff9f4fb3b40e5b2f1ba",
                    1_000, "2ada511640a5f4c476d2ed979b960de4ebb2e0551bcf417e4489a4d0d127ccae");
        }
    }

    /** 62⁸ values are few enough to be numbered, and a step of theirs times a number of rows is longer than 63 bits. */
    @Test
    void dealsDifferentValuesToManyRows() {
        Values values = Datasets.parse("random:62").values(8, 42, 100_000);
        Set<String> seen = new HashSet<>();
        for (int row = 0; row < values.count(); row++) {
            seen.add(new String(values.get(row), US_ASCII));
        }
        assertThat(seen).hasSize(100_000);
    }
}
