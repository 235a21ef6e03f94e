package dev.blobmark.bench.codec;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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

/** Each codec with one value per call. The result is the line {@code :bytes}, uncompressed bytes per second. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@State(Scope.Thread)
public class CodecBenchmark {

    /** Uncompressed bytes; JMH divides them by the time. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Uncompressed {
        public long bytes;
    }

    @Param({
        "none",
        "gzip",
        "zlib",
        "deflate",
        "deflate+len",
        "mysql",
        "zstd",
        "snappy",
        "brotli:0",
        "brotli:6",
        "brotli:11",
        "lz4",
        "lz4hc:9",
        "lz4hc:12"
    })
    public String codec;

    /** The published lengths of the studies' own data in bytes. */
    @Param({"34011", "607930", "4287156"})
    public int size;

    private Codec subject;
    private byte[][] values;
    private byte[][] encoded;
    private byte[] target;
    private int next;

    @Setup
    public void encodeAll() {
        subject = Codecs.parse(codec);
        values = BenchValues.of(size);
        target = new byte[subject.maxEncodedLength(size)];
        encoded = new byte[values.length][];
        for (int i = 0; i < values.length; i++) {
            encoded[i] = Arrays.copyOf(target, subject.encode(values[i], 0, size, target, 0));
        }
    }

    @Benchmark
    public int encode(Uncompressed uncompressed) {
        byte[] value = values[nextIndex()];
        uncompressed.bytes += value.length;
        return subject.encode(value, 0, value.length, target, 0);
    }

    @Benchmark
    public int decode(Uncompressed uncompressed) {
        byte[] bytes = encoded[nextIndex()];
        int length = subject.decode(bytes, 0, bytes.length, target, 0, size);
        uncompressed.bytes += length;
        return length;
    }

    private int nextIndex() {
        next = next + 1 == values.length ? 0 : next + 1;
        return next;
    }
}
