package dev.blobmark.lab.fork;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.blobmark.lab.engine.Latencies;
import dev.blobmark.lab.engine.TrialRun;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.StdConverter;

/**
 * A message from a measuring JVM to its parent, one line each. It has nothing that is valid on one host only: no path,
 * no process number.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "message")
@JsonSubTypes({
    @JsonSubTypes.Type(value = ForkMessage.Ready.class, name = "ready"),
    @JsonSubTypes.Type(value = ForkMessage.Visited.class, name = "visited"),
    @JsonSubTypes.Type(value = ForkMessage.Finished.class, name = "finished")
})
public sealed interface ForkMessage {

    JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .addMixIn(Histogram.class, Compressed.class)
            .build();

    /** The trial has warmed up, and continues to warm up until the window begins. */
    record Ready() implements ForkMessage {}

    /**
     * A trial that stays open has been visited.
     *
     * @param compiling CPU time of the JVM's compilers ÷ elapsed time
     */
    record Visited(double compiling) implements ForkMessage {}

    /**
     * The trial has ended or failed.
     *
     * @param run the result of this process
     */
    record Finished(TrialRun run) implements ForkMessage {}

    /** HdrHistogram's own compressed encoding: a few KB instead of 270. */
    @JsonSerialize(converter = Compress.class)
    @JsonDeserialize(converter = Decompress.class)
    interface Compressed {}

    final class Compress extends StdConverter<Histogram, byte[]> {
        @Override
        public byte[] convert(Histogram histogram) {
            ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
            return Arrays.copyOf(buffer.array(), histogram.encodeIntoCompressedByteBuffer(buffer));
        }
    }

    final class Decompress extends StdConverter<byte[], Histogram> {
        @Override
        public Histogram convert(byte[] bytes) {
            try {
                return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), Latencies.MAX_NANOS);
            } catch (DataFormatException e) {
                throw new IllegalArgumentException(
                        "a histogram of a measuring JVM cannot be read: " + e.getMessage(), e);
            }
        }
    }

    default String toLine() {
        return MAPPER.writeValueAsString(this);
    }

    static ForkMessage ofLine(String line) {
        return MAPPER.readValue(line, ForkMessage.class);
    }
}
