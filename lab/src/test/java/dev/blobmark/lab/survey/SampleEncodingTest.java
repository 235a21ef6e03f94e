package dev.blobmark.lab.survey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.Whole;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SampleEncodingTest {

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final List<TableColumn.Row> rows = new ArrayList<>();
    private final List<TableColumn.KeyRange> ranges = new ArrayList<>();

    private void add(int others, long length, String... values) {
        long bytes = 0;
        for (String text : values) {
            byte[] value = text.getBytes(StandardCharsets.UTF_8);
            long whole = Math.max(length, value.length);
            rows.add(new TableColumn.Row(file.size(), value.length, whole));
            file.writeBytes(value);
            bytes += whole;
        }
        ranges.add(new TableColumn.KeyRange(values.length + others, values.length, bytes));
    }

    private List<SurveyedColumn.RangeSums> encoded(long median) {
        TableColumn.Sample sample = new TableColumn.Sample(
                Path.of("values"),
                rows,
                ranges,
                Map.of(),
                new TreeMap<>(),
                "blob",
                new Whole(1, 1, false, OptionalLong.empty(), OptionalLong.empty(), Optional.empty()));
        return SampleEncoding.encode(file.toByteArray(), sample, median);
    }

    private static long encoded(String id, String text) {
        Codec codec = Codecs.parse(id);
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        return codec.encode(value, 0, value.length, new byte[codec.maxEncodedLength(value.length)], 0);
    }

    @Test
    void eachRangeHasTheSumsOfItsValues() {
        add(2, 0, "aaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb");
        add(1, 0);
        add(0, 0, "c");

        List<SurveyedColumn.RangeSums> sums = encoded(10_000);

        assertThat(sums).extracting(SurveyedColumn.RangeSums::rows).containsExactly(4, 1, 1);
        assertThat(sums).extracting(SurveyedColumn.RangeSums::values).containsExactly(2, 0, 1);
        assertThat(sums).extracting(SurveyedColumn.RangeSums::bytes).containsExactly(44L, 0L, 1L);
        assertThat(sums.get(0).encoded()).containsOnlyKeys(SampleEncoding.CODECS);
        for (String codec : SampleEncoding.CODECS) {
            assertThat(sums.get(0).encoded().get(codec))
                    .isEqualTo(encoded(codec, "aaaaaaaaaaaaaaaaaaaaaaaa") + encoded(codec, "bbbbbbbbbbbbbbbbbbbb"));
            assertThat(sums.get(1).encoded()).containsEntry(codec, 0L);
        }
    }

    @Test
    void aCutValueIsExtrapolated() {
        String begin = "abc".repeat(100);
        add(0, 3_000, begin);

        SurveyedColumn.RangeSums sums = encoded(10_000).get(0);

        assertThat(sums.bytes()).isEqualTo(3_000);
        assertThat(sums.encoded().get("zstd:3")).isEqualTo(10 * encoded("zstd:3", begin));
    }

    /** The values have 16 random digits each, and the rest in common. */
    @Test
    void aDictionaryMakesSmallValuesThatAreAlikeMuchSmaller() {
        Random random = new Random(1);
        IntStream.range(0, 60).forEach(range -> add(0, 0, documents(random)));

        List<SurveyedColumn.RangeSums> sums = encoded(200);

        long bytes = sums.stream().mapToLong(SurveyedColumn.RangeSums::bytes).sum();
        long plain = sums.stream().mapToLong(sum -> sum.encoded().get("zstd:3")).sum();
        long withDictionary = sums.stream()
                .mapToLong(sum -> sum.encoded().get(SampleEncoding.DICTIONARY))
                .sum();
        assertThat((double) bytes / plain).isLessThan(2);
        assertThat((double) bytes / withDictionary).isGreaterThan(4);
    }

    private static String[] documents(Random random) {
        return IntStream.range(0, 8)
                .mapToObj(i -> String.format(
                        "{\"customer\": %08d, \"shipping_address\": null, \"invoice_state\": \"paid\", \"currency\":"
                                + " \"EUR\", \"warehouse\": \"north\", \"total\": %08d}",
                        random.nextInt(100_000_000), random.nextInt(100_000_000)))
                .toArray(String[]::new);
    }

    @Test
    void noDictionaryIsTriedWithFewOrLongValues() {
        add(0, 0, "{\"a\": 1}");
        add(0, 0, "{\"a\": 2}");
        assertThat(encoded(8)).noneMatch(sum -> sum.encoded().containsKey(SampleEncoding.DICTIONARY));

        IntStream.range(0, 60).forEach(range -> add(0, 0, documents(new Random(range))));
        assertThat(encoded(4_096)).noneMatch(sum -> sum.encoded().containsKey(SampleEncoding.DICTIONARY));
    }
}
