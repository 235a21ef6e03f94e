package dev.blobmark.lab.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * A computed dataset. Value <i>i</i> depends only on the dataset's id, the size, the seed and <i>i</i>. All values
 * differ from each other.
 *
 * <p>Generators call only {@link UniformRandomProvider#nextLong}, and compute floating point only with
 * {@link StrictMath} and the four basic operations. Derived methods of a library, and those of {@link Math}, may differ
 * between versions or machines.
 */
abstract class GeneratedDataset implements Dataset {

    /** The longest value: 16 MiB, one byte more than a {@code MEDIUMBLOB} holds. */
    static final int MAX_SIZE = 1 << 24;

    private static final int TOTAL_BYTES = 16 << 20;
    private static final int MIN_COUNT = 8;
    private static final int MAX_COUNT = 1_000;

    /** With more possible values than this, two of 1,000 random ones are equal with a probability below 10⁻⁹. */
    private static final long MANY = 1L << 50;

    private final String id;

    GeneratedDataset(String id) {
        this.id = id;
    }

    /** The number of possible values of a size; {@link Long#MAX_VALUE} also stands for all larger numbers. */
    abstract long possible(int size);

    /** The possible value with this number, 0 to {@code possible(size) - 1}; only called if there are few. */
    abstract byte[] numbered(int size, long number);

    /** A random value. */
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
     * As many values as make 16 MiB, at least 8 and at most 1,000, but never more than there are different ones.
     *
     * @param size 1 to 16,777,216 bytes
     * @throws IllegalArgumentException if the size is out of range
     */
    @Override
    public final Values values(int size, long seed) {
        int wanted = Math.min(MAX_COUNT, Math.max(MIN_COUNT, (TOTAL_BYTES + size - 1) / Math.max(1, size)));
        return distinct(size, seed, wanted);
    }

    /** This number of values. They repeat only if there are not enough different ones. */
    @Override
    public final Values values(int size, long seed, int count) {
        Values distinct = distinct(size, seed, count);
        return distinct.count() == count ? distinct : new RepeatedValues(distinct, count);
    }

    private Values distinct(int size, long seed, int wanted) {
        if (size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "dataset %s: size %d is out of range; use 1 to %d bytes".formatted(id, size, MAX_SIZE));
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

        /**
         * Different numbers below {@code possible} for different indices: multiples of a stride that is coprime to it.
         */
        private long shuffled(int index, long possible) {
            UniformRandomProvider random = random(size, seed, -1);
            long first = Long.remainderUnsigned(random.nextLong(), possible);
            long stride;
            do {
                stride = Long.remainderUnsigned(random.nextLong(), possible);
            } while (greatestCommonDivisor(stride, possible) != 1);
            return BigInteger.valueOf(stride)
                    .multiply(BigInteger.valueOf(index)) // a product of 50 and 24 bits exceeds a long
                    .add(BigInteger.valueOf(first))
                    .mod(BigInteger.valueOf(possible))
                    .longValue();
        }
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }
}
