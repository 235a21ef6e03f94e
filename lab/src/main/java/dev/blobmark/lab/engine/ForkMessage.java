package dev.blobmark.lab.engine;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.blobmark.lab.run.Sample;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;

/** What a fork tells its parent, a line each. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "message")
@JsonSubTypes({
    @JsonSubTypes.Type(value = ForkMessage.Started.class, name = "started"),
    @JsonSubTypes.Type(value = ForkMessage.Finished.class, name = "finished")
})
sealed interface ForkMessage {

    JsonMapper MAPPER = JsonMapper.builder().build();

    /**
     * A trial begins.
     *
     * @param trial its number in the plan
     */
    record Started(int round, int trial) implements ForkMessage {}

    /**
     * A trial has ended.
     *
     * @param sample as it goes into the run directory
     * @param latency compressed HdrHistograms by operation type
     */
    record Finished(String sample, Map<String, byte[]> latency) implements ForkMessage {

        static Finished of(Sample sample, Map<String, Histogram> latency) {
            Map<String, byte[]> compressed = new TreeMap<>();
            latency.forEach((type, histogram) -> {
                ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
                int length = histogram.encodeIntoCompressedByteBuffer(buffer);
                compressed.put(type, Arrays.copyOf(buffer.array(), length));
            });
            return new Finished(sample.toJson(), compressed);
        }

        Map<String, Histogram> histograms() {
            Map<String, Histogram> histograms = new TreeMap<>();
            latency.forEach((type, bytes) -> {
                try {
                    histograms.put(
                            type,
                            Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), Latencies.MAX_NANOS));
                } catch (DataFormatException e) {
                    throw new IllegalArgumentException("a fork sent a histogram that cannot be read", e);
                }
            });
            return histograms;
        }
    }

    default String toLine() {
        return MAPPER.writeValueAsString(this);
    }

    static ForkMessage ofLine(String line) {
        return MAPPER.readValue(line, ForkMessage.class);
    }
}
