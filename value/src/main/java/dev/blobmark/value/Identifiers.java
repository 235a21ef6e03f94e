package dev.blobmark.value;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Names in SQL. */
final class Identifiers {

    private Identifiers() {}

    /** A name in backticks, {@code schema.table} each part by itself. */
    static String quoted(String name) {
        return Arrays.stream(parts(name)).map(Identifiers::quotedPart).collect(Collectors.joining("."));
    }

    /** A name of a column in backticks, which may have dots. */
    static String quotedPart(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("'' is not the name of a column");
        }
        return '`' + name.replace("`", "``") + '`';
    }

    /** The parts of {@code schema.table} or {@code schema.table.column}, one to three. */
    static String[] parts(String name) {
        String[] parts = name.split("\\.", -1);
        if (parts.length > 3 || Arrays.stream(parts).anyMatch(String::isEmpty)) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a table or column");
        }
        return parts;
    }

    /**
     * The name of a table with its schema.
     *
     * @param schema for a name without one
     */
    static String qualified(String schema, String table) {
        String[] parts = parts(table);
        if (parts.length == 3) {
            throw new IllegalArgumentException("'" + table + "' is not the name of a table");
        }
        return parts.length == 2 ? table : schema + "." + table;
    }
}
