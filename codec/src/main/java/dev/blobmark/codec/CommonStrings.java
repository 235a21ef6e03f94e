package dev.blobmark.codec;

import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The strings of a text that occur in a number of different values. A string is one of {@link #BYTES} bytes; a longer
 * one consists of these.
 */
final class CommonStrings {

    /** Length of a string. It fits into a {@code long}, so that counts are exact. */
    static final int BYTES = Long.BYTES;

    /** Most strings of a value are not in the text: a look at one bit shows that. */
    private static final int FILTER_BITS = 22;

    /** What replaces a string has its length, up to this: zstd encodes equal distances in fewer bits. */
    private static final int LONGEST_FILL = 16;

    /** After these, strings are removed and not replaced, so that there is an end. */
    private static final int ROUNDS = 4;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final Collection<byte[]> values;
    private final int minValues;
    private final byte filler;

    /** @param minValues how many different values a string must occur in, at least 1 */
    CommonStrings(List<byte[]> values, int minValues) {
        LinkedHashSet<ByteBuffer> different = new LinkedHashSet<>();
        values.forEach(value -> different.add(ByteBuffer.wrap(value)));
        this.values = different.stream().map(ByteBuffer::array).toList();
        this.minValues = minValues;
        filler = rarest(this.values);
    }

    /** The byte that occurs least often, so that it makes no strings that occur somewhere. */
    private static byte rarest(Collection<byte[]> values) {
        long[] counts = new long[1 << Byte.SIZE];
        for (byte[] value : values) {
            for (byte each : value) {
                counts[each & 0xFF]++;
            }
        }
        int rarest = 0;
        for (int i = 1; i < counts.length; i++) {
            rarest = counts[i] < counts[rarest] ? i : rarest;
        }
        return (byte) rarest;
    }

    /**
     * A text in which bytes that are in no common string are replaced. That leaves strings whose beginning and end are
     * common, and which are not; a byte of these is replaced too. This is repeated, as bytes that were put next to each
     * other may be a string of some values.
     *
     * @return each string of it occurs in at least {@code minValues} different values, or in none
     */
    byte[] only(byte[] text) {
        byte[] left = withoutUncommon(text, counts(text));
        for (int round = 1; ; round++) {
            int[] counts = counts(left);
            byte[] next = round <= ROUNDS ? broken(left, counts) : withoutRare(left, counts);
            if (Arrays.equals(next, left)) {
                return left;
            }
            left = next;
        }
    }

    /** Also without the ends of strings that stand next to each other in the text only. */
    private byte[] withoutUncommon(byte[] text, int[] counts) {
        BitSet kept = new BitSet(text.length);
        IntStream.range(0, counts.length).filter(at -> counts[at] >= minValues).forEach(at -> kept.set(at, at + BYTES));
        ByteArrayOutputStream masked = new ByteArrayOutputStream(text.length);
        int filled = 0;
        for (int at = 0; at < text.length; at++) {
            filled = kept.get(at) ? 0 : filled + 1;
            if (filled == 0) {
                masked.write(text[at]);
            } else if (filled <= LONGEST_FILL) {
                masked.write(filler);
            }
        }
        return masked.toByteArray();
    }

    private boolean isRare(int count) {
        return count > 0 && count < minValues;
    }

    /** With a byte replaced in the middle of strings that are too rare and overlap. */
    private byte[] broken(byte[] text, int[] counts) {
        byte[] next = text.clone();
        for (int at = 0; at < counts.length; at++) {
            if (isRare(counts[at])) {
                int last = at;
                while (last + 1 < Math.min(counts.length, at + BYTES) && isRare(counts[last + 1])) {
                    last++;
                }
                next[(at + last + BYTES - 1) / 2] = filler;
                at = last;
            }
        }
        return next;
    }

    private byte[] withoutRare(byte[] text, int[] counts) {
        BitSet removed = new BitSet(text.length);
        IntStream.range(0, counts.length).filter(at -> isRare(counts[at])).forEach(at -> removed.set(at, at + BYTES));
        ByteArrayOutputStream fewer = new ByteArrayOutputStream(text.length);
        IntStream.range(0, text.length).filter(at -> !removed.get(at)).forEach(at -> fewer.write(text[at]));
        return fewer.toByteArray();
    }

    /** In how many different values each string of a text occurs, by where it begins. */
    private int[] counts(byte[] text) {
        int strings = Math.max(0, text.length - BYTES + 1);
        long[] sorted = IntStream.range(0, strings)
                .mapToLong(at -> (long) LONG.get(text, at))
                .sorted()
                .distinct()
                .toArray();
        BitSet filter = new BitSet(1 << FILTER_BITS);
        Arrays.stream(sorted).forEach(string -> filter.set(bit(string)));
        int[] count = new int[sorted.length];
        int[] last = new int[sorted.length];
        int number = 0;
        for (byte[] value : values) {
            number++;
            for (int at = 0; at <= value.length - BYTES; at++) {
                long string = (long) LONG.get(value, at);
                int place = filter.get(bit(string)) ? Arrays.binarySearch(sorted, string) : -1;
                if (place >= 0 && last[place] != number) {
                    last[place] = number;
                    count[place]++;
                }
            }
        }
        return IntStream.range(0, strings)
                .map(at -> count[Arrays.binarySearch(sorted, (long) LONG.get(text, at))])
                .toArray();
    }

    private static int bit(long string) {
        return (int) (string * 0x9E3779B97F4A7C15L >>> Long.SIZE - FILTER_BITS);
    }
}
