package dev.blobmark.bench.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads from the documents what they promise: the grants of a guest, and the exit codes. */
final class Documents {

    private static final Pattern CODE = Pattern.compile("(?m)^\\| (\\d{1,3}) \\| (.+) \\|$");

    private static final Pattern GRANT = Pattern.compile("    (GRANT [^;]+ TO) 'you'@'%';");

    private static final Pattern HEADING = Pattern.compile("(MySQL|MariaDB):");

    private static final Pattern DRY_RUN_TABLE = Pattern.compile("CREATE TABLE `[^`]+`\\.`([^`]+)`");

    private Documents() {}

    /**
     * The GRANT statements under a product's name in docs/guest.md.
     *
     * @param account that gets the privileges, quoted
     */
    static List<String> grants(String guide, Product product, String account) {
        List<String> grants = new ArrayList<>();
        String heading = "";
        for (String line : guide.lines().toList()) {
            Matcher grant = GRANT.matcher(line);
            if (HEADING.matcher(line).matches()) {
                heading = line;
            } else if (grant.matches() && heading.equalsIgnoreCase(product.name() + ":")) {
                grants.add(grant.group(1) + " " + account);
            }
        }
        if (grants.isEmpty()) {
            throw new IllegalArgumentException(
                    "docs/guest.md has no line '    GRANT … TO 'you'@'%';' for " + product.name());
        }
        return grants;
    }

    /** The exit codes in docs/commands.md, and their meanings. */
    static Map<Integer, String> exitCodes(String commands) {
        Map<Integer, String> codes = new TreeMap<>();
        Matcher row = CODE.matcher(commands);
        while (row.find()) {
            codes.put(Integer.parseInt(row.group(1)), row.group(2));
        }
        if (!codes.containsKey(0) || !codes.containsKey(6)) {
            throw new IllegalArgumentException("docs/commands.md has no table of exit codes");
        }
        return codes;
    }

    /** The tables that a run will create, as {@code --dry-run} prints them. */
    static List<String> tables(String dryRun) {
        return DRY_RUN_TABLE.matcher(dryRun).results().map(m -> m.group(1)).toList();
    }

    static String read(Path root, String name) throws IOException {
        return Files.readString(root.resolve(name));
    }
}
