package dev.blobmark.reencode.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * By what InnoDB knows a table, whatever its name is: its number, or those of its partitions. It stays when the table
 * is renamed, gets a column at once, a trigger or another counter. It changes when the table is made again: by
 * TRUNCATE, OPTIMIZE, ALTER TABLE … FORCE and other rebuilds, and on another server (seen on MySQL 9.7.4 and MariaDB
 * 11.4.5).
 *
 * @param ids numbers in ascending order, separated by commas
 */
public record TableIdentity(String ids) {

    /** ER_SPECIFIC_ACCESS_DENIED_ERROR: the account has not PROCESS. */
    public static final int DENIED = 1227;

    /** After the name of a table; MariaDB writes it in upper case. */
    private static final String PARTITION = "(?i:#p#.*)?";

    /**
     * Letters of some blocks have codes of two characters: Latin, Greek, Cyrillic and Armenian ones, letters in
     * circles, and wide ones ({@code strings/ctype-utf8.c} of both products). Others have four hexadecimal digits.
     */
    private static final IntPredicate HAVE_CODES = c -> c >= 0xC0 && c < 0x600
            || c >= 0x1E00 && c < 0x2000
            || c >= 0x2160 && c < 0x2180
            || c >= 0x24B0 && c < 0x24F0
            || c >= 0xFF20 && c < 0xFF60;

    private static final String LETTER = "@(?:[0-9a-f]{4}|[0-9A-Za-z]{2})";

    public TableIdentity {
        if (!ids.matches("\\d+(,\\d+)*")) {
            throw new IllegalArgumentException("'" + ids + "' is not the identity of a table");
        }
    }

    /**
     * The identity of a table now.
     *
     * @return empty if the account may not see it, which needs PROCESS, if there is no such table in InnoDB, or if
     *     there are several whose names differ only in letters that are not of ASCII
     */
    public static Optional<TableIdentity> read(Connection connection, String schema, String table) throws SQLException {
        Pattern name = Pattern.compile("(" + fileName(schema) + "/" + fileName(table) + ")" + PARTITION);
        String begin = schema.replaceFirst("[^0-9A-Za-z].*", "");
        String tables = Definition.isMariaDb(connection) ? "innodb_sys_tables" : "innodb_tables";
        Set<String> names = new HashSet<>();
        List<String> ids = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT name, table_id FROM information_schema."
                + tables + " WHERE LEFT(name, ?) = ? ORDER BY table_id")) {
            select.setInt(1, begin.length());
            select.setString(2, begin);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    Matcher matcher = name.matcher(row.getString(1));
                    if (matcher.matches()) {
                        names.add(matcher.group(1));
                        ids.add(Long.toString(row.getLong(2)));
                    }
                }
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == DENIED) {
                return Optional.empty();
            }
            throw e;
        }
        return names.size() == 1 ? Optional.of(new TableIdentity(String.join(",", ids))) : Optional.empty();
    }

    /**
     * A pattern for a name as InnoDB has it: what is neither a letter nor a digit of ASCII becomes {@code @} with four
     * hexadecimal digits (manual of MySQL, "Mapping of Identifiers to File Names").
     */
    public static String fileName(String name) {
        StringBuilder file = new StringBuilder();
        for (char c : name.toCharArray()) {
            if (HAVE_CODES.test(c)) {
                file.append(LETTER);
            } else {
                boolean isPlain = c == '_' || c < 0x80 && Character.isLetterOrDigit(c);
                file.append(isPlain ? String.valueOf(c) : String.format("@%04x", (int) c));
            }
        }
        return file.toString();
    }

    /** Whether it is the same table, or the same one with fewer partitions. */
    public boolean isWithin(TableIdentity other) {
        return Set.of(other.ids.split(",")).containsAll(Set.of(ids.split(",")));
    }

    /** As errors name it. */
    public static String inWords(Optional<TableIdentity> identity) {
        return identity.map(known -> "the table " + known.ids() + " of InnoDB")
                .orElse("a table that cannot be identified");
    }
}
