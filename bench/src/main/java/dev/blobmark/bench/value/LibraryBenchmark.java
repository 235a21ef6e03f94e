package dev.blobmark.bench.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The library next to direct calls of its codecs, whose buffer is kept: both return a new array. With {@code -prof gc}
 * also the bytes that are allocated. Values are JSON documents of 1 KB in turn.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LibraryBenchmark {

    private static final int DOCUMENT_BYTES = 1_024;

    @Param({"zstd:3", "lz4", "lz4hc:9", "deflate:6", "brotli:5", "snappy"})
    public String codec;

    @Param({"200", "2048", "65536", "1048576"})
    public int bytes;

    @Param({"true", "false"})
    public boolean checksum;

    private Codec direct;
    private ValueFormat format;
    private byte[] value;
    private byte[] buffer;
    private byte[] encoded;
    private byte[] framed;

    @Setup
    public void setUp() {
        direct = direct(codec);
        format = ValueFormat.builder()
                .writes(codec)
                .policy(new EncodingPolicy(0, 0, checksum))
                .build();
        format.startWriting();
        ByteArrayOutputStream documents = new ByteArrayOutputStream();
        if (bytes < DOCUMENT_BYTES) {
            documents.write(SmallJson.value(1, DOCUMENT_BYTES), 0, bytes / 2);
        }
        for (int seed = 1;
                documents.size() < bytes;
                seed++) { // the beginning again, so that lz4 makes 200 bytes shorter
            documents.writeBytes(SmallJson.value(seed, DOCUMENT_BYTES));
        }
        value = Arrays.copyOf(documents.toByteArray(), bytes);
        buffer = new byte[direct.maxEncodedLength(bytes)];
        encoded = encodeDirect();
        framed = format.encode(value);
        if (framed == value || !Arrays.equals(format.decode(framed), decodeDirect())) {
            throw new IllegalStateException("the value is not encoded, or decoded wrongly");
        }
    }

    private static Codec direct(String codec) {
        String[] parts = codec.split(":");
        return switch (parts[0]) {
            case "zstd" -> Bare.zstd(Integer.parseInt(parts[1]), Optional.empty());
            case "lz4" -> Bare.lz4();
            case "lz4hc" -> Bare.lz4hc(Integer.parseInt(parts[1]));
            default -> Codecs.parse(codec);
        };
    }

    @Benchmark
    public byte[] encodeDirect() {
        return Arrays.copyOf(buffer, direct.encode(value, 0, value.length, buffer, 0));
    }

    @Benchmark
    public byte[] encodeLibrary() {
        return format.encode(value);
    }

    @Benchmark
    public byte[] decodeDirect() {
        byte[] decoded = new byte[bytes];
        direct.decode(encoded, 0, encoded.length, decoded, 0, bytes);
        return decoded;
    }

    @Benchmark
    public byte[] decodeLibrary() {
        return format.decode(framed);
    }
}
