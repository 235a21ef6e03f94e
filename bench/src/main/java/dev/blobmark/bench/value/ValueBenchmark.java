package dev.blobmark.bench.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.ValueFormat;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a frame costs next to its codec alone, and what dual read costs a value without one: 1 KB of JSON. With
 * {@code -prof gc} also the bytes that are allocated.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ValueBenchmark {

    private static final int BYTES = 1_024;

    private final Codec lz4 = Bare.lz4();
    private final Codec zstd = Bare.zstd(3, Optional.empty());
    private ValueFormat lz4Format;
    private ValueFormat zstdFormat;
    private byte[] raw;
    private byte[] lz4Bare;
    private byte[] zstdBare;
    private byte[] lz4Framed;
    private byte[] zstdFramed;

    @Setup
    public void setUp() {
        raw = SmallJson.value(1, BYTES);
        lz4Bare = encoded(lz4);
        zstdBare = encoded(zstd);
        lz4Format = format("lz4");
        zstdFormat = format("zstd:3");
        lz4Framed = lz4Format.encode(raw);
        zstdFramed = zstdFormat.encode(raw);
    }

    private byte[] encoded(Codec codec) {
        byte[] target = new byte[codec.maxEncodedLength(raw.length)];
        return Arrays.copyOf(target, codec.encode(raw, 0, raw.length, target, 0));
    }

    private static ValueFormat format(String codec) {
        ValueFormat format = ValueFormat.builder()
                .writes(codec)
                .policy(new EncodingPolicy(0, 0, false))
                .build();
        format.startWriting();
        return format;
    }

    private byte[] decoded(Codec codec, byte[] stored) {
        byte[] value = new byte[raw.length];
        codec.decode(stored, 0, stored.length, value, 0, value.length);
        return value;
    }

    @Benchmark
    public byte[] lz4Alone() {
        return decoded(lz4, lz4Bare);
    }

    @Benchmark
    public byte[] lz4Frame() {
        return lz4Format.decode(lz4Framed);
    }

    @Benchmark
    public byte[] zstdAlone() {
        return decoded(zstd, zstdBare);
    }

    @Benchmark
    public byte[] zstdFrame() {
        return zstdFormat.decode(zstdFramed);
    }

    @Benchmark
    public byte[] rawDualRead() {
        return zstdFormat.decode(raw);
    }

    @Benchmark
    public byte[] rawAlone() {
        return raw;
    }

    @Benchmark
    public byte[] zstdEncodeFrame() {
        return zstdFormat.encode(raw);
    }

    @Benchmark
    public byte[] zstdEncodeAlone() {
        byte[] target = new byte[zstd.maxEncodedLength(raw.length)];
        return Arrays.copyOf(target, zstd.encode(raw, 0, raw.length, target, 0));
    }
}
