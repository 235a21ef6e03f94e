package dev.blobmark.lab.server.cluster;

import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parameters of data nodes that a user gives instead of Blobmark's, as in the group {@code [ndbd default]} of a
 * cluster's {@code config.ini}.
 *
 * @param byName values as written; names in any case
 * @param place where they come from, for messages
 */
public record DataNodeParameters(SortedMap<String, String> byName, String place) {

    public static final DataNodeParameters NONE = new DataNodeParameters(Collections.emptySortedMap(), "");

    private static final String SECTION = "[ndbd default]";
    private static final Pattern LINE = Pattern.compile("([A-Za-z][A-Za-z0-9]*)\\s*=\\s*(\\S.*)");
    private static final Pattern NUMBER = Pattern.compile("([0-9]{1,15})([KMG]?)");

    /** Those by which Blobmark makes its two nodes, on its ports and in its directories. MySQL Cluster 9.7.4. */
    private static final Pattern RESERVED = Pattern.compile(
            "(?i)NoOfReplicas|Id|NodeId|NodeGroup|HostName|ExecuteOnComputer|ServerPort|DataDir|BackupDataDir"
                    + "|FileSystemPath.*|Initial.*");

    public DataNodeParameters {
        SortedMap<String, String> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        copy.putAll(byName);
        byName = Collections.unmodifiableSortedMap(copy);
    }

    /**
     * Reads a file with a parameter on each line. Empty lines, lines that begin with {@code #}, and the line
     * {@code [ndbd default]} are skipped.
     *
     * @throws IllegalArgumentException if it cannot be read, or has something else
     */
    public static DataNodeParameters read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(file + " is not a text in UTF-8; write a parameter on each line", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    file + " cannot be read (" + e + "); name a file with parameters of data nodes", e);
        }
        SortedMap<String, String> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#") && !line.equalsIgnoreCase(SECTION)) {
                add(byName, line, file + ", line " + (i + 1) + ": ");
            }
        }
        return new DataNodeParameters(byName, file.toString());
    }

    private static void add(Map<String, String> byName, String line, String place) {
        Matcher parameter = LINE.matcher(line);
        if (!parameter.matches()) {
            throw new IllegalArgumentException(place + "'" + line + "' is not a parameter; write NAME=VALUE, as in "
                    + SECTION + " of a config.ini, and leave other groups out");
        }
        String name = parameter.group(1);
        if (RESERVED.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    place + name + " is set by Blobmark, which makes two data nodes in its own directories; remove it");
        }
        if (byName.put(name, parameter.group(2)) != null) {
            throw new IllegalArgumentException(place + name + " is given twice; remove one");
        }
    }

    /** The number that a value stands for: {@code 128M} is 134217728, {@code true} 1. Empty for another text. */
    static OptionalLong number(String value) {
        if (value.matches("(?i)true|yes|y|on")) {
            return OptionalLong.of(1);
        }
        if (value.matches("(?i)false|no|n|off")) {
            return OptionalLong.of(0);
        }
        Matcher number = NUMBER.matcher(value.toUpperCase(Locale.ROOT));
        if (!number.matches()) {
            return OptionalLong.empty();
        }
        int shift = 10 * " KMG".indexOf(number.group(2).isEmpty() ? " " : number.group(2));
        return OptionalLong.of(Long.parseLong(number.group(1)) << shift);
    }

    /**
     * Compares them with those of a cluster. Words and lists, which a cluster reports in another form, are only
     * required to be there.
     *
     * @param effective values by name, in any case
     * @throws ServerException if a value is another one
     */
    void require(SortedMap<String, String> effective) {
        byName.forEach((name, value) -> {
            String found = effective.get(name);
            OptionalLong number = number(value);
            if (found == null || number.isPresent() && !number.equals(number(found))) {
                throw new ServerException("the data nodes' " + name + " is "
                        + (found == null ? "not reported by the cluster" : found) + ", but " + value + " in " + place
                        + "; give a value that the cluster accepts, or remove the line.");
            }
        });
    }
}
