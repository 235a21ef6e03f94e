package dev.blobmark.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The servers that one argument names by braces, as in a shell: {@code mysql://app@shard{00..63}/} has 64. */
final class ServerNames {

    private static final int MOST = 4_096;
    private static final Pattern BRACES = Pattern.compile("\\{([^{}]*)}");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})\\.\\.(\\d{1,9})");

    private ServerNames() {}

    /**
     * All names, in their order; the argument itself if it has no braces. A range has numbers of at least as many
     * digits as its first one.
     *
     * @throws IllegalArgumentException if braces are not closed, are empty, or name too many
     */
    static List<String> expand(String text) {
        Matcher braces = BRACES.matcher(text);
        if (!braces.find()) {
            if (text.contains("{") || text.contains("}")) {
                throw new IllegalArgumentException(
                        "'" + text + "' has a brace without its counterpart; write shard{00..63} or {db1,db2}");
            }
            return List.of(text);
        }
        List<String> all = new ArrayList<>();
        for (String part : parts(braces.group(1))) {
            all.addAll(expand(text.substring(0, braces.start()) + part + text.substring(braces.end())));
            if (all.size() > MOST) {
                throw new IllegalArgumentException("'" + text + "' names more than " + MOST + " servers");
            }
        }
        return all;
    }

    private static List<String> parts(String inside) {
        Matcher range = RANGE.matcher(inside);
        if (!range.matches()) {
            List<String> parts = List.of(inside.split(",", -1));
            if (parts.size() < 2 || parts.contains("")) {
                throw new IllegalArgumentException(
                        "'{" + inside + "}' names no servers; write {00..63} for a range, or {db1,db2}");
            }
            return parts;
        }
        int first = Integer.parseInt(range.group(1));
        int last = Integer.parseInt(range.group(2));
        if (last < first || last - first >= MOST) {
            throw new IllegalArgumentException(
                    "'{" + inside + "}' is no range of 1 to " + MOST + " servers, such as {00..63}");
        }
        List<String> parts = new ArrayList<>();
        for (int number = first; number <= last; number++) {
            parts.add(String.format(Locale.ROOT, "%0" + range.group(1).length() + "d", number));
        }
        return parts;
    }

    /** {@code shard07:3306} of {@code mysql://app@shard07:3306/}. */
    static String label(String server) {
        return server.replaceFirst("^\\w+://", "").replaceFirst("^[^/@]*@", "").replaceFirst("/.*$", "");
    }
}
