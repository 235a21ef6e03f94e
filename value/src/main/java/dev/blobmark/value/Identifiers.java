package dev.blobmark.value;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Names in SQL. */
final class Identifiers {

    private Identifiers() {}

    /** A name in backticks, {@code schema.table} each part by itself. */
    static String quoted(String name) {
        return Arrays.stream(name.split("\\.", -1))
                .map(part -> {
                    if (part.isEmpty()) {
                        throw new IllegalArgumentException("'" + name + "' is not the name of a table or column");
                    }
                    return '`' + part.replace("`", "``") + '`';
                })
                .collect(Collectors.joining("."));
    }
}
