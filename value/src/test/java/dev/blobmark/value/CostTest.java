package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Bytes that are allocated, by the JVM's own count. */
class CostTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Of one call, the least of several: the first ones load classes, and grow buffers. */
    private static long allocated(Supplier<?> call) {
        long least = Long.MAX_VALUE;
        long thread = Thread.currentThread().getId();
        for (int i = 0; i < 50; i++) {
            long before = THREADS.getThreadAllocatedBytes(thread);
            call.get();
            least = Math.min(least, THREADS.getThreadAllocatedBytes(thread) - before);
        }
        return least;
    }

    /** In addition to the result. The margin is for headers of objects, and for what is not compiled yet. */
    @Test
    void encodingAndDecodingAllocateLittleBesideTheirResult() {
        for (String codec : List.of("zstd:3", "lz4", "deflate:6", "snappy", "mysql:6")) {
            ValueFormat format = ValueFormatTest.writing(codec);
            for (int length : new int[] {2_000, 64_000, 1 << 20}) {
                byte[] value = Samples.text(length, 1);
                byte[] stored = format.encode(value);
                assertThat(allocated(() -> format.encode(value)) - stored.length)
                        .as("encoding %d bytes with %s", length, codec)
                        .isLessThan(length * 15L / 100 + 600);
                assertThat(allocated(() -> format.decode(stored)) - length)
                        .as("decoding %d bytes with %s", length, codec)
                        .isLessThan(length * 15L / 100 + 600);
            }
        }
    }

    /** A few bytes that say they are 64 MiB. */
    @Test
    void aClaimIsCheckedBeforeItIsAllocated() {
        for (PayloadCodec payload : List.of(
                PayloadCodec.LZ4, PayloadCodec.DEFLATE, PayloadCodec.BROTLI, PayloadCodec.SNAPPY, PayloadCodec.ZSTD)) {
            byte[] frame = claiming(payload);
            ValueFormat format = ValueFormat.builder().build();
            assertThatThrownBy(() -> format.decode(frame)).isInstanceOf(FrameException.class);
            assertThat(allocated(() -> {
                        try {
                            return format.decode(frame);
                        } catch (FrameException e) {
                            return e;
                        }
                    }))
                    .as("%s", payload)
                    .isLessThan(1 << 20);
        }
    }

    private static byte[] claiming(PayloadCodec payload) {
        if (payload == PayloadCodec.ZSTD) {
            // single segment, content size of 4 bytes: 64 MiB; then a raw block of 3 bytes that is the last
            byte[] body = {(byte) 0b1010_0000, 0, 0, 0, 4, 0b0001_1001, 0, 0, 1, 2, 3};
            byte[] frame = Arrays.copyOf(
                    new byte[] {(byte) 0xBE, (byte) 0xC1, FrameHeader.VERSION << 6 | 1 << 2}, 5 + body.length);
            System.arraycopy(body, 0, frame, 5, body.length);
            FrameHeader.writeCheck(frame, 0, 3, frame.length);
            return frame;
        }
        byte[] frame = new byte[14];
        frame[8] = 8 << 1; // what snappy and others read first
        FrameHeader.write(frame, 0, frame.length, payload, 64 << 20, -1, false);
        return frame;
    }

    /** A gzip value whose middle is damaged, which the reader must not try again with ever more memory. */
    @Test
    void aDamagedLegacyValueCostsNoMoreThanItsLength() {
        for (String codec : List.of("gzip", "zlib", "zstd", "deflate", "brotli", "snappy", "lz4", "mysql")) {
            byte[] damaged = LegacyTest.encoded(codec, Samples.text(4_000, 1));
            Arrays.fill(damaged, damaged.length / 2, damaged.length / 2 + 8, (byte) 0x55);
            ValueFormat format =
                    ValueFormat.builder().reads(Legacy.encodedBy(codec)).build();
            assertThat(allocated(() -> {
                        try {
                            return format.decode(damaged);
                        } catch (FrameException e) {
                            return e;
                        }
                    }))
                    .as("%s", codec)
                    .isLessThan(200_000);
        }
    }
}
