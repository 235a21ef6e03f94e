package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ZstdDictionaryTest {

    private static List<byte[]> values(int count) {
        Random random = new Random(count);
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"name\": \"value %d\", \"a long key\": \"in all of them\", \"random\": %d}"
                        .formatted(i, random.nextInt())
                        .getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static byte[] encode(Codec codec, byte[] value) {
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        return Arrays.copyOf(target, codec.encode(value, 0, value.length, target, 0));
    }

    @Test
    void valuesThatItWasNotTrainedOnBecomeSmallerAndAreGivenBack() {
        ZstdDictionary dictionary = ZstdDictionary.train(values(500), 2_000).orElseThrow();
        assertThat(dictionary.bytes()).isBetween(256, 2_000);
        Codec with = Bare.zstd(3, Optional.of(dictionary));
        Codec loaded = Bare.zstd(19, Optional.of(ZstdDictionary.of(dictionary.toBytes())));
        for (byte[] value : values(20)) {
            byte[] encoded = encode(with, value);
            assertThat(2 * encoded.length).isLessThan(encode(Codecs.parse("zstd:3"), value).length);
            byte[] decoded = new byte[value.length];
            assertThat(loaded.decode(encoded, 0, encoded.length, decoded, 0, value.length))
                    .isEqualTo(value.length);
            assertThat(decoded).isEqualTo(value);
        }
    }

    @Test
    void anotherDictionaryIsFoundToBeWrong() {
        byte[] value = values(20).get(7);
        byte[] encoded = encode(Bare.zstd(3, ZstdDictionary.train(values(500), 2_000)), value);
        Codec without = Bare.zstd(3, Optional.empty());
        assertThatThrownBy(() -> without.decode(encoded, 0, encoded.length, new byte[1_000], 0, 1_000))
                .isInstanceOf(CodecException.class);
    }

    /** Strings of 8 bytes of a value that a dictionary has. */
    private static long found(byte[] value, ZstdDictionary in) {
        String dictionary = new String(in.toBytes(), StandardCharsets.ISO_8859_1);
        String text = new String(value, StandardCharsets.ISO_8859_1);
        return IntStream.rangeClosed(0, text.length() - CommonStrings.BYTES)
                .filter(at -> dictionary.contains(text.substring(at, at + CommonStrings.BYTES)))
                .count();
    }

    /**
     * Values with what only one of them has, what a few have, and what many have. A secret is long, as the trainer
     * takes long strings first.
     */
    private static List<byte[]> valuesOfUsers(int count, int few, Map<String, Integer> secrets) {
        Random random = new Random(7);
        List<byte[]> values = new ArrayList<>();
        Supplier<String> secret = () ->
                random.ints(40, 'a', 'z' + 1).mapToObj(Character::toString).collect(Collectors.joining());
        String shared = "";
        for (int i = 0; i < count; i++) {
            String own = secret.get();
            if (i % few == 0) {
                shared = secret.get();
            }
            secrets.merge(own, 1, Integer::sum);
            secrets.merge(shared, 1, Integer::sum);
            values.add("{\"type\": \"order\", \"card number\": \"%s\", \"delivery address\": \"%s\", \"id\": %d}"
                    .formatted(own, shared, i)
                    .getBytes(StandardCharsets.UTF_8));
        }
        return values;
    }

    @Test
    void whatFewerValuesHaveThanTheLimitIsNotInADictionary() {
        Map<String, Integer> secrets = new HashMap<>();
        List<byte[]> values = new ArrayList<>(valuesOfUsers(2_100, 7, secrets));
        Collections.nCopies(100, values.get(0)).forEach(values::add); // the same value is counted once
        ZstdDictionary usual = ZstdDictionary.train(values, 8 << 10).orElseThrow();
        secrets.forEach((secret, times) -> assertThat(found(secret.getBytes(StandardCharsets.UTF_8), usual))
                .as("%s, in %d values", secret, times)
                .isZero());
        // the test finds what is there
        ZstdDictionary any = ZstdDictionary.train(values, 8 << 10, 1).orElseThrow();
        assertThat(secrets.keySet().stream()
                        .mapToLong(secret -> found(secret.getBytes(StandardCharsets.UTF_8), any))
                        .sum())
                .isGreaterThan(1_000);
        assertThat(found("\", \"delivery address\": \"".getBytes(StandardCharsets.UTF_8), usual))
                .isPositive();
    }

    @Test
    void eachStringOfADictionaryIsInManyValuesOrInNone() {
        List<byte[]> values = valuesOfUsers(2_000, 12, new HashMap<>());
        for (int limit : new int[] {2, 8, 13}) {
            ZstdDictionary dictionary =
                    ZstdDictionary.train(values, 8 << 10, limit).orElseThrow();
            Map<String, Integer> counts = new HashMap<>();
            for (byte[] value : values) {
                String text = new String(value, StandardCharsets.ISO_8859_1);
                IntStream.rangeClosed(0, text.length() - CommonStrings.BYTES)
                        .mapToObj(at -> text.substring(at, at + CommonStrings.BYTES))
                        .distinct()
                        .forEach(string -> counts.merge(string, 1, Integer::sum));
            }
            String text = new String(dictionary.toBytes(), StandardCharsets.ISO_8859_1);
            IntStream.rangeClosed(0, text.length() - CommonStrings.BYTES)
                    .mapToObj(at -> text.substring(at, at + CommonStrings.BYTES))
                    .forEach(string ->
                            assertThat(counts.getOrDefault(string, limit)).isGreaterThanOrEqualTo(limit));
        }
    }

    @Test
    void valuesWithNothingInCommonTrainNone() {
        Random random = new Random(3);
        List<byte[]> values = IntStream.range(0, 2_000)
                .mapToObj(i -> {
                    byte[] value = new byte[200];
                    random.nextBytes(value);
                    return value;
                })
                .toList();
        assertThat(ZstdDictionary.train(values, 4 << 10)).isEmpty();
        assertThatThrownBy(() -> ZstdDictionary.train(values, 4 << 10, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("minValues is 0; it is at least 1");
    }

    @Test
    void fewValuesTrainNone() {
        assertThat(ZstdDictionary.train(values(2), 2_000)).isEmpty();
        assertThat(ZstdDictionary.train(List.of(), 2_000)).isEmpty();
    }

    /** Bytes are a dictionary that gives values back, or are refused when the dictionary is made. */
    @Test
    void bytesThatAreNoDictionaryAreRefused() {
        byte[] trained = ZstdDictionary.train(values(500), 2_000).orElseThrow().toBytes();
        List<byte[]> dictionaries = new ArrayList<>(List.of(new byte[0], new byte[1], "short".getBytes()));
        for (int length = 0; length < 400; length++) {
            dictionaries.add(Arrays.copyOf(trained, length));
        }
        Random random = new Random(46);
        for (int i = 0; i < 300; i++) {
            byte[] changed = trained.clone();
            changed[4 + random.nextInt(200)] = (byte) random.nextInt();
            dictionaries.add(changed);
        }
        int refused = 0;
        byte[] value = values(20).get(7);
        for (byte[] bytes : dictionaries) {
            ZstdDictionary dictionary;
            try {
                dictionary = ZstdDictionary.of(bytes);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("dictionary of zstd");
                refused++;
                continue;
            }
            Codec codec = Bare.zstd(3, Optional.of(dictionary));
            byte[] encoded = encode(codec, value);
            byte[] decoded = new byte[value.length];
            assertThat(codec.decode(encoded, 0, encoded.length, decoded, 0, value.length))
                    .isEqualTo(value.length);
            assertThat(decoded).isEqualTo(value);
        }
        assertThat(refused).isBetween(100, dictionaries.size() - 10);
    }
}
