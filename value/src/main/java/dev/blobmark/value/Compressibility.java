package dev.blobmark.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Whether it is worth a try to encode a value. A slow encoder is not started for a value that a fast one cannot make
 * smaller; ZFS does the same before zstd. Long values are tried in parts.
 */
final class Compressibility {

    /** To encode a shorter value costs hardly more than to try. */
    private static final int LEAST_TRIED = 8 << 10;

    /** The same for slow encoders. Brotli at level 9 takes 1.8 ms for 1 KB. */
    private static final int LEAST_TRIED_SLOW = 512;

    private static final int PARTS = 4;

    /** Of a part; all parts together are at most 1/16 of a value, or half of it for slow encoders. */
    private static final int MOST_PART = 1 << 10;

    private static final int MOST_PART_SLOW = 2 << 10;

    /** From this level on zstd is at least 20 times slower than at level 1 (lzbench, zstd 1.5). */
    private static final int SLOW_ZSTD = 9;

    private static final int SLOW_BROTLI = 5;

    /** Bits of order-0 entropy of a byte, from which on entropy coding does not save 2 %. */
    private static final double DENSE_BITS = 7.84;

    private static final int LEAST_SAVING_PERCENT = 2;

    /** Each number times its logarithm: 256 logarithms take longer than all the rest. */
    private static final double[] TIMES_LOG = IntStream.range(0, 256)
            .mapToDouble(count -> count == 0 ? 0 : count * Math.log(count))
            .toArray();

    private final boolean isSlow;
    private final Codec fast;

    Compressibility(PayloadCodec.Encoder encoder) {
        isSlow = switch (encoder.payload()) {
            case ZSTD -> encoder.level() >= SLOW_ZSTD;
            case BROTLI -> encoder.level() >= SLOW_BROTLI;
            default -> false;
        };
        // of libraries that are there: those of the JDK, and that of the codec itself
        fast = switch (encoder.payload()) {
            case ZSTD -> Bare.zstd(-1, Optional.empty());
            case LZ4 -> Bare.lz4();
            case SNAPPY -> encoder.codec();
            default -> Codecs.parse("deflate:1");
        };
    }

    /**
     * @param scratch with room for the encoded value from an offset on; overwritten
     * @return false if encoding the value would not save anything
     */
    boolean isWorthATry(byte[] value, int offset, int length, byte[] scratch, int scratchOffset) {
        if (length < (isSlow ? LEAST_TRIED_SLOW : LEAST_TRIED)) {
            return true;
        }
        int part = length < LEAST_TRIED
                ? length / PARTS
                : isSlow ? Math.min(MOST_PART_SLOW, length / PARTS / 2) : Math.min(MOST_PART, length / PARTS / 16);
        int step = (length - part) / (PARTS - 1);
        int[] counts = new int[256];
        for (int i = 0; i < PARTS; i++) {
            for (int at = offset + i * step; at < offset + i * step + part; at++) {
                counts[value[at] & 0xFF]++;
            }
        }
        if (entropy(counts, PARTS * part) < DENSE_BITS) {
            return true;
        }
        int encoded = 0;
        for (int i = 0; i < PARTS; i++) {
            encoded += fast.encode(value, offset + i * step, part, scratch, scratchOffset);
        }
        return encoded * 100L < (100L - LEAST_SAVING_PERCENT) * PARTS * part;
    }

    /** Bits of a byte, with the correction of Miller and Madow for a small sample (1955). */
    private static double entropy(int[] counts, int total) {
        double sum = 0;
        int seen = 0;
        for (int count : counts) {
            if (count > 0) {
                sum += count < TIMES_LOG.length ? TIMES_LOG[count] : count * Math.log(count);
                seen++;
            }
        }
        double nats = Math.log(total) - sum / total + (seen - 1) / (2.0 * total);
        return nats / Math.log(2);
    }
}
