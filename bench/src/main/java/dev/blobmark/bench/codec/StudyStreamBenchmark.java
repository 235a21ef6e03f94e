package dev.blobmark.bench.codec;

import java.io.IOException;
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

/** The published studies' streams, for comparison with {@link CodecBenchmark}: the same values and the same counter. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@State(Scope.Thread)
public class StudyStreamBenchmark {

    @Param({"gzip", "deflate", "zstd"})
    public String format;

    @Param({"34011", "607930", "4287156"})
    public int size;

    private StudyStream subject;
    private byte[][] values;
    private byte[][] encoded;
    private int next;

    @Setup
    public void encodeAll() throws IOException {
        subject = StudyStream.valueOf(format);
        values = BenchValues.of(size);
        encoded = new byte[values.length][];
        for (int i = 0; i < values.length; i++) encoded[i] = subject.encode(values[i]);
    }

    @Benchmark
    public byte[] encode(CodecBenchmark.Uncompressed uncompressed) throws IOException {
        byte[] value = values[nextIndex()];
        uncompressed.bytes += value.length;
        return subject.encode(value);
    }

    @Benchmark
    public byte[] decode(CodecBenchmark.Uncompressed uncompressed) throws IOException {
        byte[] value = subject.decode(encoded[nextIndex()]);
        uncompressed.bytes += value.length;
        return value;
    }

    private int nextIndex() {
        next = next + 1 == values.length ? 0 : next + 1;
        return next;
    }
}
