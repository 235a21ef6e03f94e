package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * A dataset that is computed: value <i>i</i> depends on the dataset's id, the size, the seed and <i>i</i>, and on nothing
 * else. Values of a set differ from each other.
 *
 * <p>Generators draw with {@link UniformRandomProvider#nextLong} only, and use no floating point but {@link StrictMath} and
 * the four operations: the derived methods of a library or of {@link Math} may differ between versions or machines.
 */
abstract class GeneratedDataset implements Dataset {

    /** The longest value that can be asked for: 16 MiB, one byte more than a {@code MEDIUMBLOB} holds. */
    static final int MAX_SIZE = 1 << 24;

    private static final int TOTAL_BYTES = 16 << 20;
    private static final int MIN_COUNT = 8;
    private static final int MAX_COUNT = 1_000;

    /** With more possible values than this, 1,000 random ones meet with a probability below 10⁻⁹. */
    private static final long MANY = 1L << 50;

    private final String id;

    GeneratedDataset(String id) {
        this.id = id;
    }

    /** How many different values of a size there can be; {@link Long#MAX_VALUE} stands for all larger numbers. */
    abstract long possible(int size);

    /** The possible value with a number from 0 to {@code possible(size) - 1}; only asked for where they are few. */
    abstract byte[] numbered(int size, long number);

    /** A value drawn at random. */
    abstract byte[] drawn(int size, UniformRandomProvider random);

    @Override
    public final String id() {
        return id;
    }

    @Override
    public final boolean hasSize() {
        return true;
    }

    @Override
    public final boolean isPrivate() {
        return false;
    }

    /**
     * As many values as make 16 MiB, at least 8 and at most 1,000, and never more than there are different ones.
     *
     * @param size 1 to 16,777,216 bytes
     * @throws IllegalArgumentException if the size is out of range
     */
    @Override
    public final Values values(int size, long seed) {
        int wanted = Math.min(MAX_COUNT, Math.max(MIN_COUNT, (TOTAL_BYTES + size - 1) / Math.max(1, size)));
        return distinct(size, seed, wanted);
    }

    /** So many values, all different as long as there are so many different ones. */
    @Override
    public final Values values(int size, long seed, int count) {
        Values distinct = distinct(size, seed, count);
        return distinct.count() == count ? distinct : new RepeatedValues(distinct, count);
    }

    private Values distinct(int size, long seed, int wanted) {
        if (size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "dataset %s: size %d is out of range; give 1 to %d bytes".formatted(id, size, MAX_SIZE));
        }
        return new GeneratedValues((int) Math.min(wanted, possible(size)), size, seed);
    }

    private UniformRandomProvider random(int size, long seed, int index) {
        ByteBuffer state = ByteBuffer.wrap(DigestedValues.sha256()
                .digest("blobmark %s size=%d seed=%d index=%d"
                        .formatted(id, size, seed, index)
                        .getBytes(UTF_8)));
        return RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {state.getLong(), state.getLong()});
    }

    @Override
    public final String toString() {
        return id;
    }

    private final class GeneratedValues extends DigestedValues {

        private final int count;
        private final int size;
        private final long seed;

        GeneratedValues(int count, int size, long seed) {
            this.count = count;
            this.size = size;
            this.seed = seed;
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public int length(int index) {
            Objects.checkIndex(index, count);
            return size;
        }

        @Override
        public byte[] get(int index) {
            Objects.checkIndex(index, count);
            long possible = possible(size);
            return possible > MANY ? drawn(size, random(size, seed, index)) : numbered(size, shuffled(index, possible));
        }

        /** Different numbers below {@code possible} for different indices: steps of a stride that shares no divisor with it. */
        private long shuffled(int index, long possible) {
            UniformRandomProvider random = random(size, seed, -1);
            long first = Long.remainderUnsigned(random.nextLong(), possible);
            long stride;
            do {
                stride = Long.remainderUnsigned(random.nextLong(), possible);
            } while (greatestCommonDivisor(stride, possible) != 1);
            return BigInteger.valueOf(stride)
                    .multiply(BigInteger.valueOf(index)) // of 50 and 24 bits: more than a long holds
                    .add(BigInteger.valueOf(first))
                    .mod(BigInteger.valueOf(possible))
                    .longValue();
        }
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }
}
