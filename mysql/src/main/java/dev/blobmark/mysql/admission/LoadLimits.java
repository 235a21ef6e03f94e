package dev.blobmark.mysql.admission;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Limits of a server's load, as values of status variables, in the syntax of pt-online-schema-change and gh-ost:
 * {@code Threads_running=25,Threads_connected:500}.
 *
 * @param largest highest allowed values, by name in lower case
 */
public record LoadLimits(SortedMap<String, Long> largest) {

    private static final Pattern LIMIT = Pattern.compile("\\s*([A-Za-z][A-Za-z0-9_]*)\\s*[=:]\\s*(\\d{1,18})\\s*");

    public static final LoadLimits NONE = new LoadLimits(new TreeMap<>());

    /** The default of pt-online-schema-change. */
    public static final LoadLimits USUAL = parse("Threads_running=25");

    public LoadLimits {
        largest = Collections.unmodifiableSortedMap(new TreeMap<>(largest));
    }

    /**
     * Parses limits of the command line. A blank text has none.
     *
     * @throws IllegalArgumentException if a limit is not a status variable with a whole number
     */
    public static LoadLimits parse(String text) {
        SortedMap<String, Long> largest = new TreeMap<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            Matcher limit = LIMIT.matcher(part);
            if (!limit.matches()) {
                throw new IllegalArgumentException("'" + part.strip()
                        + "' is not a limit of the load: write a status variable and its largest value, such as"
                        + " Threads_running=25");
            }
            if (largest.put(limit.group(1).toLowerCase(Locale.ROOT), Long.valueOf(limit.group(2))) != null) {
                throw new IllegalArgumentException(limit.group(1) + " is limited twice; remove one limit");
            }
        }
        return new LoadLimits(largest);
    }

    /**
     * The limits that are exceeded, as a text.
     *
     * @param status values of status variables without the run's share, by name in lower case
     */
    Optional<String> excess(Map<String, Long> status) {
        String excess = largest.entrySet().stream()
                .filter(limit -> status.getOrDefault(limit.getKey(), 0L) > limit.getValue())
                .map(limit -> limit.getKey() + " = " + status.get(limit.getKey()) + " > " + limit.getValue())
                .collect(Collectors.joining(", "));
        return excess.isEmpty() ? Optional.empty() : Optional.of(excess);
    }

    /** The form of the command line. */
    @Override
    public String toString() {
        return largest.entrySet().stream()
                .map(limit -> limit.getKey() + "=" + limit.getValue())
                .collect(Collectors.joining(","));
    }
}
