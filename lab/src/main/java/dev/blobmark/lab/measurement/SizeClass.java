package dev.blobmark.lab.measurement;

import java.util.Arrays;

/**
 * Values of about one size, for results of values of mixed sizes: powers of four from 1 KB on. That is fine enough to
 * tell values that InnoDB keeps in their page (less than half of its 16 KB) from those it puts elsewhere, and coarse
 * enough to leave each class the operations that percentiles need.
 */
public enum SizeClass {
    TO_1KB("0-1KB"),
    TO_4KB("1KB-4KB"),
    TO_16KB("4KB-16KB"),
    TO_64KB("16KB-64KB"),
    TO_256KB("64KB-256KB"),
    TO_1MB("256KB-1MB"),
    TO_4MB("1MB-4MB"),
    /** And all that is longer, which no column that is measured holds. */
    TO_16MB("4MB-16MB");

    private static final SizeClass[] ALL = values();

    /** The binary logarithm of 256: a class's low end is this times four to the power of its number. */
    private static final int SHIFT = 8;

    private final String word;

    SizeClass(String word) {
        this.word = word;
    }

    public static SizeClass of(int bytes) {
        return ALL[numberOf(bytes)];
    }

    /** The ordinal of a length's class, by a few instructions: asked after every operation. */
    public static int numberOf(long bytes) {
        int binaryLog = Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes | 1);
        return Math.min(Math.max(binaryLog - SHIFT, 0) / 2, ALL.length - 1);
    }

    /** @throws IllegalArgumentException if no class is spelled so */
    public static SizeClass parse(String word) {
        return Arrays.stream(ALL)
                .filter(sizeClass -> sizeClass.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no size class '" + word + "'"));
    }

    /** The shortest length in it, in bytes. */
    public int low() {
        return this == TO_1KB ? 0 : 1 << SHIFT + 2 * ordinal();
    }

    /** One more than the longest length in it, in bytes. */
    public int high() {
        return 1 << SHIFT + 2 * (ordinal() + 1);
    }

    /** As samples spell it: {@code 1KB-4KB}, the upper end not included. */
    @Override
    public String toString() {
        return word;
    }
}
