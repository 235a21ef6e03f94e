package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What was written by any version stays readable. Lines of {@code frames.txt} are a name, the value and what was
 * stored, in hexadecimal digits, {@code -} for nothing; {@code dictionary} and a number, and the dictionary. Lines are
 * added, and never changed or removed: {@code -Dblobmark.golden=true} adds those whose names are new.
 */
class GoldenFramesTest {

    static final Path FILE = Path.of("src/test/resources/dev/blobmark/value/frames.txt");
    private static final HexFormat HEX = HexFormat.of();

    static byte[] bytes(String hex) {
        return hex.equals("-") ? new byte[0] : HEX.parseHex(hex);
    }

    private static String hex(byte[] bytes) {
        return bytes.length == 0 ? "-" : HEX.formatHex(bytes);
    }

    @Test
    void everyFrameStaysReadable() throws IOException {
        if (Boolean.getBoolean("blobmark.golden")) {
            add();
        }
        List<ValueDictionary> dictionaries = new ArrayList<>();
        int read = 0;
        for (String line : Files.readAllLines(FILE)) {
            String[] words = line.split(" ");
            if (words[0].equals("dictionary")) {
                dictionaries.add(ValueDictionary.of(bytes(words[2])));
                continue;
            }
            ValueFormat format = ValueFormat.builder()
                    .dictionaries(Dictionaries.of(dictionaries.toArray(new ValueDictionary[0])))
                    .build();
            assertThat(format.decode(bytes(words[2]))).as(words[0]).isEqualTo(bytes(words[1]));
            read++;
        }
        assertThat(read).isGreaterThan(50);
    }

    private static void add() throws IOException {
        List<String> known = Files.exists(FILE)
                ? Files.readAllLines(FILE).stream()
                        .map(line -> line.split(" ")[0])
                        .toList()
                : List.of();
        List<String> lines = new ArrayList<>();
        ValueDictionary dictionary = DictionaryTest.trained(500).dictionary();
        if (!known.contains("dictionary")) {
            lines.add("dictionary " + ValueDictionary.name(dictionary.number()) + " " + hex(dictionary.bytes()));
        }
        Map<String, byte[]> values = new LinkedHashMap<>();
        values.put("empty", new byte[0]);
        values.put("one", new byte[] {1});
        values.put("magic", Samples.beginningLikeAFrame(new byte[0]));
        values.put("magic-noise", Samples.beginningLikeAFrame(Samples.noise(30, 1)));
        values.put("text", Samples.text(200, 1));
        values.put("json", Samples.json(1));
        values.put("zeros-60", new byte[60]);
        values.put("zeros-300", new byte[300]);
        values.put("noise", Samples.noise(100, 1));
        values.put("half", Arrays.copyOf(Samples.noise(100, 2), 400));
        for (String codec : List.of("zstd:3", "zstd:19", "lz4", "lz4hc:9", "deflate:6", "brotli:5", "snappy")) {
            for (boolean hasChecksum : new boolean[] {false, true}) {
                ValueFormat format = ValueFormatTest.writing(
                        ValueFormat.builder().writes(codec).policy(new EncodingPolicy(0, 0, hasChecksum)));
                values.forEach((name, value) -> add(lines, codec, hasChecksum, name, value, format));
            }
        }
        ValueFormat format = ValueFormatTest.writing(ValueFormat.builder()
                .writes("zstd:3")
                .writesWith(dictionary)
                .dictionaries(Dictionaries.of(dictionary))
                .policy(new EncodingPolicy(0, 0, false)));
        values.put("json-2", Samples.json(2));
        values.forEach((name, value) -> add(lines, "zstd:3+dictionary", false, name, value, format));
        lines.removeIf(line -> known.contains(line.split(" ")[0]) && !line.startsWith("dictionary"));
        Files.createDirectories(FILE.getParent());
        Files.write(FILE, lines, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static void add(
            List<String> lines, String codec, boolean hasChecksum, String name, byte[] value, ValueFormat format) {
        lines.add(String.join(
                " ", codec + "/" + name + (hasChecksum ? "/checksum" : ""), hex(value), hex(format.encode(value))));
    }
}
