package dev.blobmark.mysql.admission;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts of bytes on the command line. */
public final class ByteAmount {

    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,6}) ?([KMGT]?B)|(\\d{1,18})");

    private static final List<String> UNITS = List.of("B", "KB", "MB", "GB", "TB");

    private ByteAmount() {}

    /**
     * Parses an amount such as {@code 2GB} or {@code 500MB}. 1 KB is 1024 bytes, as in sizes of values.
     *
     * @throws IllegalArgumentException with the reason and the remedy
     */
    public static long parse(String text) {
        Matcher amount = AMOUNT.matcher(text);
        if (!amount.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not an amount; write a whole number of bytes, KB, MB, GB or TB: 500MB or 2GB");
        }
        return amount.group(3) != null
                ? Long.parseLong(amount.group(3))
                : Long.parseLong(amount.group(1)) << 10 * UNITS.indexOf(amount.group(2));
    }
}
