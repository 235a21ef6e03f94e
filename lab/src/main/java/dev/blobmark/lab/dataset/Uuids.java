package dev.blobmark.lab.dataset;

import java.util.Objects;

/** UUIDs of 16 bytes (RFC 9562). UUID <i>i</i> depends only on the seed and <i>i</i>, and differs from all others. */
final class Uuids implements Dataset {

    private static final int BYTES = 16;

    private static final int DEFAULT_COUNT = 100_000;

    /** 2024-01-01T00:00Z in ms since 1970. */
    private static final long FIRST_MILLIS = 1_704_067_200_000L;

    /** As if 10,000 were generated per second. Those of the same millisecond are not in order. */
    private static final int PER_MILLI = 10;

    private static final int RANDOM_BITS = 60;
    private static final long RANDOM_MASK = (1L << RANDOM_BITS) - 1;

    private final int version;

    private Uuids(int version) {
        this.version = version;
    }

    /** Random UUIDs. */
    static Uuids version4() {
        return new Uuids(4);
    }

    /** UUIDs that begin with the time in milliseconds. */
    static Uuids version7() {
        return new Uuids(7);
    }

    @Override
    public String id() {
        return "uuid:" + version;
    }

    @Override
    public boolean hasSize() {
        return false;
    }

    @Override
    public boolean isPrivate() {
        return false;
    }

    /** 100,000 UUIDs. */
    @Override
    public Values values(int size, long seed) {
        return values(size, seed, DEFAULT_COUNT);
    }

    /** This number of different UUIDs. Those of version 7 are in the order of their time. */
    @Override
    public Values values(int size, long seed, int count) {
        return new UuidValues(seed, count);
    }

    private byte[] uuid(long seed, int index) {
        long random = permuted(index + mixed(seed) & RANDOM_MASK);
        long high = version == 4
                ? random >>> 12 << 16 | 0x4000 | random & 0xfff
                : FIRST_MILLIS + index / PER_MILLI << 16 | 0x7000 | random & 0xfff;
        byte[] uuid = new byte[BYTES];
        put(high, uuid, 0);
        // with version 7, two of the same millisecond differ here, except with a probability of 2^-62
        put(1L << 63 | mixed(index ^ mixed(seed)) >>> 2, uuid, Long.BYTES);
        return uuid;
    }

    private static void put(long number, byte[] target, int at) {
        for (int i = 0; i < Long.BYTES; i++) {
            target[at + i] = (byte) (number >>> Long.SIZE - Byte.SIZE - Byte.SIZE * i);
        }
    }

    /** A permutation of the numbers of 60 bits, because odd factors and xor with shifts are invertible. */
    private static long permuted(long number) {
        long x = number;
        for (int i = 0; i < 3; i++) {
            x = (x ^ x >>> RANDOM_BITS / 2) * 0xd6e8feb86659fd93L & RANDOM_MASK;
        }
        return x ^ x >>> RANDOM_BITS / 2;
    }

    /** Stafford's mix 13 of SplitMix64, also invertible. */
    private static long mixed(long number) {
        long x = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
        x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
        return x ^ x >>> 31;
    }

    @Override
    public String toString() {
        return id();
    }

    private final class UuidValues extends DigestedValues {

        private final long seed;
        private final int count;

        UuidValues(long seed, int count) {
            this.seed = seed;
            this.count = count;
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public int length(int index) {
            Objects.checkIndex(index, count);
            return BYTES;
        }

        @Override
        public byte[] get(int index) {
            Objects.checkIndex(index, count);
            return uuid(seed, index);
        }
    }
}
