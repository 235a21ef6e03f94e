package dev.blobmark.reencode.binlog;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of the table whose changes are read, and how the server compares names.
 *
 * @param isExact whether upper and lower case differ ({@code lower_case_table_names=0})
 */
public record TableName(String schema, String table, boolean isExact) {

    private static final char ASCII = 0x80;
    private static final Pattern PARTS = Pattern.compile("[\\x00-\\x7F]+|[^\\x00-\\x7F]+");

    /** Whether these are the names of the table, as the log has them before its rows. */
    boolean isOf(String otherSchema, String otherTable) {
        return same(schema, otherSchema) && same(table, otherTable);
    }

    private boolean same(String one, String other) {
        return isExact ? one.equals(other) : one.equalsIgnoreCase(other);
    }

    /**
     * Whether a name of a statement may be that of the table.
     *
     * @param bytes as characters from 0 to 255, in the client's character set
     */
    boolean isTable(String bytes) {
        return mayBe(table, bytes);
    }

    boolean isSchema(String bytes) {
        return mayBe(schema, bytes);
    }

    /**
     * Letters outside of ASCII have other bytes in other character sets, so any of them are taken for equal. Where case
     * makes no difference, the lower case of such a letter may be one of ASCII.
     */
    private boolean mayBe(String name, String bytes) {
        StringBuilder pattern = new StringBuilder();
        Matcher parts = PARTS.matcher(bytes);
        while (parts.find()) {
            boolean isAscii = parts.group().charAt(0) < ASCII;
            pattern.append(isAscii ? Pattern.quote(parts.group()) : isExact ? "[^\\x00-\\x7F]+" : ".+");
        }
        return Pattern.compile(pattern.toString(), Pattern.DOTALL | (isExact ? 0 : Pattern.CASE_INSENSITIVE))
                .matcher(name)
                .matches();
    }
}
