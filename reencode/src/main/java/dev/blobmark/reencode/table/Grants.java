package dev.blobmark.reencode.table;

import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.table.TableColumn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an account and its active roles were granted, as SHOW GRANTS says. What is not certain was not granted.
 *
 * @param all lines
 * @param hasPatterns whether names of schemas may have the wildcards of LIKE; not so with {@code partial_revokes}
 */
public record Grants(List<String> all, boolean hasPatterns) {

    private static final Pattern LINE =
            Pattern.compile("(?is)^(GRANT|REVOKE|DENY) (.*?) ON (?:TABLE )?(\\S+?)\\.(\\S+) (?:TO|FROM) (\\S+).*");

    /** With the columns that it is for. */
    private static final Pattern PRIVILEGE = Pattern.compile("([A-Z][A-Z _]*?)\\s*(?:\\(([^)]*)\\))?\\s*(?:,|$)");

    private static final Pattern RESTRICTION = Pattern.compile("(?is)^(DENY|REVOKE) .*");

    private static final String EVERYTHING = "*";

    /** A line: what it is about, and the account that has it. */
    private record Line(boolean isGrant, String privileges, String schema, String table, String account) {

        static Stream<Line> of(String text) {
            Matcher line = LINE.matcher(text);
            return line.matches()
                    ? Stream.of(new Line(
                            line.group(1).equalsIgnoreCase("GRANT"),
                            line.group(2),
                            line.group(3),
                            line.group(4),
                            line.group(5)))
                    : Stream.empty();
        }

        /** Whether it has a privilege on all columns, or for UPDATE on the one. */
        boolean includes(String privilege, String column) {
            String upper = privileges.toUpperCase(Locale.ROOT);
            if (upper.startsWith("ALL PRIVILEGES")) {
                return true;
            }
            Matcher each = PRIVILEGE.matcher(upper);
            while (each.find()) {
                boolean isAll = each.group(2) == null;
                boolean isColumn = !isAll
                        && privilege.equals("UPDATE")
                        && List.of(each.group(2).replace("`", "").split("\\s*,\\s*"))
                                .contains(column.toUpperCase(Locale.ROOT));
                if (each.group(1).equals(privilege) && (isAll || isColumn)) {
                    return true;
                }
            }
            return false;
        }

        boolean isOfSchema() {
            return !schema.equals(EVERYTHING) && table.equals(EVERYTHING);
        }

        private static String plain(String quoted) {
            return quoted.replaceAll("^`|`$", "").replace("``", "`");
        }

        boolean isTable(TableColumn column) {
            return plain(table).equals(column.table()) && isExactly(column.schema(), false);
        }

        /** Whether the name has no wildcards, and is the one. */
        boolean isExactly(String name, boolean hasPatterns) {
            if (!hasPatterns && plain(schema).equals(name)) {
                return true;
            }
            return !plain(schema).matches("(?s)(?:[^\\\\%_]|\\\\.)*[%_].*")
                    && plain(schema).replaceAll("\\\\(.)", "$1").equals(name);
        }

        boolean covers(String name) {
            String pattern = plain(schema);
            StringBuilder regex = new StringBuilder();
            for (int i = 0; i < pattern.length(); i++) {
                char c = pattern.charAt(i);
                if (c == '\\' && i + 1 < pattern.length()) {
                    regex.append(Pattern.quote(String.valueOf(pattern.charAt(++i))));
                } else {
                    regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
                }
            }
            return name.matches("(?s)" + regex);
        }
    }

    public static Grants read(Connection connection) throws SQLException {
        List<String> all = Sql.strings(connection, "SHOW GRANTS");
        String roles = Sql.strings(connection, "SELECT CURRENT_ROLE()").get(0);
        boolean isMariaDb = Definition.isMariaDb(connection);
        if (roles != null && !roles.equals("NONE") && !isMariaDb) { // MariaDB shows those of the role anyway
            all = Sql.strings(connection, "SHOW GRANTS FOR CURRENT_USER() USING " + roles);
        }
        boolean isLiteral = !isMariaDb
                && Sql.pairs(connection, "SHOW GLOBAL VARIABLES LIKE 'partial_revokes'")
                        .containsValue("ON");
        return new Grants(all, !isLiteral);
    }

    private Stream<Line> grants() {
        return all.stream().flatMap(Line::of).filter(Line::isGrant);
    }

    /** Whether a line takes something from the table, or cannot be read. */
    private static boolean mayTakeFrom(String line, TableColumn column) {
        return RESTRICTION.matcher(line).matches()
                && Line.of(line)
                        .noneMatch(taken -> !taken.schema().equals(EVERYTHING) && !taken.covers(column.schema()));
    }

    /**
     * Whether something was taken from what was granted, by DENY (MariaDB 13.1) or a partial REVOKE (MySQL 8.0.16).
     * What is left is not known here.
     */
    public boolean isRestricted() {
        return all.stream().anyMatch(grant -> RESTRICTION.matcher(grant).matches());
    }

    /**
     * Whether a privilege was granted on the table, its schema or everything. Of several lines for schemas, the server
     * takes one only: that of the name itself before those with wildcards.
     */
    public boolean has(String privilege, TableColumn column) {
        if (all.stream().anyMatch(line -> mayTakeFrom(line, column))) {
            return false;
        }
        if (grants().anyMatch(line -> (line.schema().equals(EVERYTHING) || line.isTable(column))
                && line.includes(privilege, column.column()))) {
            return true;
        }
        Collection<List<Line>> ofAccounts = grants().filter(Line::isOfSchema)
                .filter(line ->
                        line.isExactly(column.schema(), hasPatterns) || hasPatterns && line.covers(column.schema()))
                .collect(Collectors.groupingBy(Line::account))
                .values();
        return ofAccounts.stream().anyMatch(lines -> {
            List<Line> exact = lines.stream()
                    .filter(line -> line.isExactly(column.schema(), hasPatterns))
                    .toList();
            return (exact.isEmpty() ? lines : exact)
                    .stream().allMatch(line -> line.includes(privilege, column.column()));
        });
    }

    /** Whether a privilege was granted on everything. */
    public boolean hasEverywhere(String privilege) {
        return grants().anyMatch(line -> line.schema().equals(EVERYTHING) && line.includes(privilege, ""));
    }
}
