package dev.blobmark.reencode;

import java.util.HexFormat;

/** Names of the tables and triggers of a shadow copy: {@code _orders_new} and others. */
final class ShadowNames {

    private static final int MOST_CHARACTERS = 64;
    private static final int HASH_DIGITS = 8;

    private ShadowNames() {}

    /** The table that is filled. */
    static String fresh(String table) {
        return name(table, "_new");
    }

    /** The former table, after the exchange. */
    static String former(String table) {
        return name(table, "_old");
    }

    /** Keys that triggers write. */
    static String changes(String table) {
        return name(table, "_keys");
    }

    /** @param event one letter */
    static String trigger(String table, String event) {
        return name(table, "_t" + event);
    }

    /** A long name is cut, and made unique by a hash. */
    private static String name(String table, String end) {
        String name = "_blobmark_" + table + end;
        if (name.codePointCount(0, name.length()) <= MOST_CHARACTERS) {
            return name;
        }
        String hash = "_" + HexFormat.of().formatHex(Names.digest(table)).substring(0, HASH_DIGITS);
        int kept = MOST_CHARACTERS - "_blobmark_".length() - hash.length() - end.length();
        return "_blobmark_" + table.substring(0, table.offsetByCodePoints(0, kept)) + hash + end;
    }
}
