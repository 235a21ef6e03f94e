package dev.blobmark.lab.survey;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.codec.ZstdDictionary;
import dev.blobmark.mysql.table.TableColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Encodes the values of a sample, range by range. */
public final class SampleEncoding {

    /** The codecs of a survey. {@code mysql:6} is what COMPRESS() writes. */
    public static final List<String> CODECS = List.of("lz4", "mysql:6", "zstd:3", "zstd:9");

    /** zstd with a dictionary that was trained on the other half of the ranges. */
    public static final String DICTIONARY = "zstd:3+dictionary";

    /** Values of this median length and longer gain little from a dictionary. */
    private static final long MAX_DICTIONARY_MEDIAN = 4_096;

    private static final int DICTIONARY_LEVEL = 3;

    /** A dictionary that is tried is a tenth of the values that it is trained on, or shorter. */
    private static final int BYTES_PER_DICTIONARY_BYTE = 10;

    private static final int MIN_DICTIONARY_BYTES = 1_024;

    /** What a zstd frame has more than a bare one with a dictionary: its magic number and that of the dictionary. */
    private static final int FRAME_BYTES = 8;

    private SampleEncoding() {}

    /**
     * The sums of each range.
     *
     * @param file the values of the sample, one after another
     * @param medianBytes of the values' lengths
     */
    static List<SurveyedColumn.RangeSums> encode(byte[] file, TableColumn.Sample sample, long medianBytes) {
        List<Codec> codecs = CODECS.stream().map(Codecs::parse).toList();
        List<List<TableColumn.Row>> values = new ArrayList<>();
        int next = 0;
        for (TableColumn.KeyRange range : sample.ranges()) {
            values.add(sample.rows().subList(next, next + range.values()));
            next += range.values();
        }
        List<Map<String, Long>> encoded = new ArrayList<>();
        byte[] target = new byte[0];
        for (List<TableColumn.Row> range : values) {
            Map<String, Long> sums = new LinkedHashMap<>();
            for (Codec codec : codecs) {
                long sum = 0;
                for (TableColumn.Row row : range) {
                    int needed = codec.maxEncodedLength(row.bytes());
                    target = target.length < needed ? new byte[needed] : target;
                    sum += whole(row, codec.encode(file, (int) row.offset(), row.bytes(), target, 0));
                }
                sums.put(codec.id(), sum);
            }
            encoded.add(sums);
        }
        if (medianBytes < MAX_DICTIONARY_MEDIAN) {
            addDictionary(file, values, encoded);
        }
        List<SurveyedColumn.RangeSums> ranges = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            long bytes =
                    values.get(i).stream().mapToLong(TableColumn.Row::length).sum();
            ranges.add(new SurveyedColumn.RangeSums(
                    sample.ranges().get(i).rows(), values.get(i).size(), bytes, encoded.get(i)));
        }
        return ranges;
    }

    /** The encoded length of a whole value, if its rest is like the part that was encoded. */
    private static long whole(TableColumn.Row row, int encodedBytes) {
        return row.length() == row.bytes()
                ? encodedBytes
                : Math.round((double) encodedBytes * row.length() / row.bytes());
    }

    /** Each half of the ranges is encoded with a dictionary that is trained on the other. */
    private static void addDictionary(
            byte[] file, List<List<TableColumn.Row>> values, List<Map<String, Long>> encoded) {
        List<Map<Integer, Long>> halves = new ArrayList<>();
        for (int half = 0; half < 2; half++) {
            int trained = 1 - half;
            List<byte[]> training = Stream.iterate(trained, i -> i < values.size(), i -> i + 2)
                    .flatMap(i -> values.get(i).stream())
                    .map(row -> bytes(file, row))
                    .toList();
            int total = training.stream().mapToInt(value -> value.length).sum();
            int size = Math.min(ZstdDictionary.USUAL_BYTES, total / BYTES_PER_DICTIONARY_BYTE);
            Optional<ZstdDictionary> dictionary =
                    size < MIN_DICTIONARY_BYTES ? Optional.empty() : ZstdDictionary.train(training, size);
            if (dictionary.isEmpty()) {
                return;
            }
            Codec zstd = Bare.zstd(DICTIONARY_LEVEL, dictionary);
            byte[] target = new byte[0];
            Map<Integer, Long> sums = new LinkedHashMap<>();
            for (int i = half; i < values.size(); i += 2) {
                long sum = 0;
                for (TableColumn.Row row : values.get(i)) {
                    int needed = zstd.maxEncodedLength(row.bytes());
                    target = target.length < needed ? new byte[needed] : target;
                    sum += whole(row, FRAME_BYTES + zstd.encode(file, (int) row.offset(), row.bytes(), target, 0));
                }
                sums.put(i, sum);
            }
            halves.add(sums);
        }
        halves.forEach(sums -> sums.forEach((i, sum) -> encoded.get(i).put(DICTIONARY, sum)));
    }

    private static byte[] bytes(byte[] file, TableColumn.Row row) {
        int from = (int) row.offset();
        return Arrays.copyOfRange(file, from, from + row.bytes());
    }
}
