package dev.blobmark.reencode.table;

import dev.blobmark.reencode.cutover.Exchange;
import dev.blobmark.reencode.failure.ReencodeException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Names of the tables and triggers of a shadow copy: {@code orders_blobmark_new} and others. They come after the
 * table's own name in the order in which servers lock tables; {@link Exchange} depends on that.
 */
public final class ShadowNames {

    private static final int MOST_CHARACTERS = 64;
    private static final int HASH_DIGITS = 8;

    /** Comes after all letters, digits and the underscore. */
    private static final String AFTER_LETTERS = "~";

    private ShadowNames() {}

    /** The table that is filled. */
    public static String fresh(String table) {
        return name(table, "_blobmark_new");
    }

    /** The former table, after the exchange. */
    public static String former(String table) {
        return name(table, "_blobmark_old");
    }

    /** Keys that triggers write. */
    public static String changes(String table) {
        return name(table, "_blobmark_keys");
    }

    /** @param event one letter */
    public static String trigger(String table, String event) {
        return name(table, "_blobmark_t" + event);
    }

    /** The names of all triggers. */
    public static List<String> triggers(String table) {
        return Stream.of("i", "u", "d").map(event -> trigger(table, event)).toList();
    }

    /** A long name is cut, and made unique by a hash. */
    private static String name(String table, String end) {
        String name = table + end;
        if (name.codePointCount(0, name.length()) <= MOST_CHARACTERS - 1) {
            return name;
        }
        String hash =
                AFTER_LETTERS + HexFormat.of().formatHex(Names.digest(table)).substring(0, HASH_DIGITS);
        int kept = MOST_CHARACTERS - 1 - hash.length() - end.length();
        String cut = table.substring(0, table.offsetByCodePoints(0, kept)) + hash + end;
        if (Arrays.compareUnsigned(table.getBytes(StandardCharsets.UTF_8), cut.getBytes(StandardCharsets.UTF_8)) >= 0) {
            throw new ReencodeException(
                    table,
                    "its name, with letters beyond ASCII, is too long for the names of a copy",
                    "use --mode in-place, or rename the table");
        }
        return cut;
    }
}
