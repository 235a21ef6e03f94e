package dev.blobmark.lab.study;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The length of a value. A level of the factor {@code size}.
 *
 * @param bytes 1 to {@link #MAX_BYTES}
 */
public record Size(int bytes) {

    /** The longest value that a MEDIUMBLOB holds: 2^24 - 1 bytes (MySQL manual, Data Type Storage Requirements). */
    public static final int MAX_BYTES = 0xFFFFFF;

    private static final int KB = 1024;
    private static final int MB = 1024 * KB;
    private static final int MAX_SIZES_IN_RANGE = 10_000;
    private static final Pattern FORM = Pattern.compile("(?i)([0-9]{1,9}) ?(?:B|([KM])(?:i?B)?)?");
    private static final Pattern RANGE = Pattern.compile("(.*)\\.\\.(.*?)(?: by (.*))?");

    public static final Factor<Size> FACTOR = new Factor<>(
            "size",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.STORE),
            Set.of(Factor.Use.SIZED),
            "length of each value: bytes, KB (1024 bytes) or MB (1024 KB)",
            List.of("1KB", "64KB", "1MB", "34011", "1KB..96KB by 5KB"),
            Optional.empty(),
            new Factor.Syntax<>(
                    Size::parse,
                    Size::toString,
                    Size::expand,
                    "SIZE(\\.\\.SIZE( by SIZE)?)?".replace("SIZE", "[0-9]{1,9} ?([bB]|[kKmM]([iI]?[bB])?)?")));

    public Size {
        if (bytes < 1 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(outOfRange(Integer.toString(bytes)));
        }
    }

    /**
     * Reads {@code 64KB}, {@code 1MB} or {@code 34011}; also {@code 64kb}, {@code 64K} and {@code 64KiB}.
     *
     * @throws IllegalArgumentException with the reason and the remedy
     */
    public static Size parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size; write a whole number of bytes, KB (1024 bytes) or MB (1024 KB):"
                            + " 34011, 64KB or 1MB");
        }
        long bytes = Long.parseLong(form.group(1)) * unit(form.group(2));
        if (bytes < 1 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(outOfRange(text));
        }
        return new Size((int) bytes);
    }

    /**
     * The sizes of a range, including both ends: {@code 1KB..96KB by 5KB} is 1, 6, 11, … 96 KB. If no step falls on the
     * upper end, the last size is the one below it. A text that is not a range is returned as it is.
     *
     * @throws IllegalArgumentException with the reason and the remedy
     */
    public static List<String> expand(String text) {
        Matcher range = RANGE.matcher(text);
        if (!range.matches()) {
            return List.of(text);
        }
        if (range.group(3) == null) {
            throw new IllegalArgumentException("the range '" + text + "' has no step; write " + range.group(1) + ".."
                    + range.group(2) + " by 1KB");
        }
        int first = parse(range.group(1)).bytes;
        int last = parse(range.group(2)).bytes;
        int step = parse(range.group(3)).bytes;
        if (last < first) {
            throw new IllegalArgumentException("the range '" + text + "' ends before it starts; swap its ends");
        }
        int count = (last - first) / step + 1;
        if (count > MAX_SIZES_IN_RANGE) {
            throw new IllegalArgumentException("the range '" + text + "' has " + count + " sizes, more than "
                    + MAX_SIZES_IN_RANGE + "; use a larger step");
        }
        return IntStream.range(0, count)
                .mapToObj(i -> new Size(first + i * step).toString())
                .toList();
    }

    /** In the largest unit that gives a whole number. */
    @Override
    public String toString() {
        return bytes % MB == 0 ? bytes / MB + "MB" : bytes % KB == 0 ? bytes / KB + "KB" : Integer.toString(bytes);
    }

    private static int unit(String word) {
        return word == null ? 1 : word.equalsIgnoreCase("M") ? MB : KB;
    }

    private static String outOfRange(String text) {
        return "a size of " + text + " is not between 1 byte and " + MAX_BYTES
                + " bytes, the longest value a MEDIUMBLOB holds";
    }
}
