package dev.blobmark.reencode;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.TableColumn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an account and its active roles were granted, as SHOW GRANTS says. */
record Grants(List<String> all) {

    private static final Pattern ON = Pattern.compile("(?is)^GRANT (.*?) ON (?:TABLE )?(\\S+?)\\.(\\S+) TO .*");

    static Grants read(Connection connection) throws SQLException {
        List<String> all = new ArrayList<>(Sql.strings(connection, "SHOW GRANTS"));
        String roles = Sql.strings(connection, "SELECT CURRENT_ROLE()").get(0);
        boolean isMariaDb = Sql.strings(connection, "SELECT VERSION()").get(0).contains("MariaDB");
        if (roles != null && !roles.equals("NONE") && !isMariaDb) { // MariaDB shows those of the role anyway
            all.addAll(Sql.strings(connection, "SHOW GRANTS FOR CURRENT_USER() USING " + roles));
        }
        return new Grants(all);
    }

    /**
     * Whether something was taken from what was granted, by DENY (MariaDB 13.1) or a partial REVOKE (MySQL 8.0.16).
     * What is left is not known here.
     */
    boolean isRestricted() {
        return all.stream().anyMatch(grant -> grant.matches("(?is)^(DENY|REVOKE) .*"));
    }

    /** Whether a privilege was granted on the table, its schema or everything. */
    boolean has(String privilege, TableColumn column) {
        return all.stream()
                .map(ON::matcher)
                .filter(Matcher::matches)
                .anyMatch(grant -> isIncluded(grant.group(1), privilege)
                        && covers(grant.group(2), column.schema(), true)
                        && covers(grant.group(3), column.table(), false));
    }

    /** Whether a privilege was granted on everything. */
    boolean hasEverywhere(String privilege) {
        return all.stream()
                .map(ON::matcher)
                .filter(Matcher::matches)
                .anyMatch(grant -> grant.group(2).equals("*") && isIncluded(grant.group(1), privilege));
    }

    private static boolean isIncluded(String granted, String privilege) {
        String privileges = granted.toUpperCase(Locale.ROOT);
        return privileges.startsWith("ALL PRIVILEGES")
                || List.of(privileges.replaceAll("\\([^)]*\\)", "").split("\\s*,\\s*"))
                        .contains(privilege);
    }

    /** Schemas may have the wildcards of LIKE. */
    private static boolean covers(String granted, String name, boolean isPattern) {
        if (granted.equals("*")) {
            return true;
        }
        String plain = granted.replaceAll("^`|`$", "").replace("``", "`");
        if (!isPattern) {
            return plain.equals(name);
        }
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            if (c == '\\' && i + 1 < plain.length()) {
                regex.append(Pattern.quote(String.valueOf(plain.charAt(++i))));
            } else {
                regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
            }
        }
        return name.matches(regex.toString());
    }
}
