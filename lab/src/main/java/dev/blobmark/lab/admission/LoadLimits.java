package dev.blobmark.lab.admission;

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
 * How much a server may have to do, as values of its status variables; in the syntax of pt-online-schema-change and gh-ost:
 * {@code Threads_running=25,Threads_connected:500}.
 *
 * @param most by name, in lower case: what is more is too much
 */
public record LoadLimits(SortedMap<String, Long> most) {

    private static final Pattern LIMIT = Pattern.compile("\\s*([A-Za-z][A-Za-z0-9_]*)\\s*[=:]\\s*(\\d{1,18})\\s*");

    public static final LoadLimits NONE = new LoadLimits(new TreeMap<>());

    /** The default of pt-online-schema-change. */
    public static final LoadLimits USUAL = parse("Threads_running=25");

    public LoadLimits {
        most = Collections.unmodifiableSortedMap(new TreeMap<>(most));
    }

    /**
     * Reads limits from the command line; no text is no limit.
     *
     * @throws IllegalArgumentException if one of them is no status variable with a whole number
     */
    public static LoadLimits parse(String text) {
        SortedMap<String, Long> most = new TreeMap<>();
        for (String one : text.isBlank() ? new String[0] : text.split(",", -1)) {
            Matcher limit = LIMIT.matcher(one);
            if (!limit.matches()) {
                throw new IllegalArgumentException(
                        "'" + one.strip()
                                + "' is no limit of load: write a status variable and its largest value, such as Threads_running=25");
            }
            if (most.put(limit.group(1).toLowerCase(Locale.ROOT), Long.valueOf(limit.group(2))) != null) {
                throw new IllegalArgumentException(limit.group(1) + " is limited twice; leave one out");
            }
        }
        return new LoadLimits(most);
    }

    /**
     * What of a server's status is too much.
     *
     * @param status its values without what the run itself adds, by names in lower case
     */
    Optional<String> excess(Map<String, Long> status) {
        String words = most.entrySet().stream()
                .filter(limit -> status.getOrDefault(limit.getKey(), 0L) > limit.getValue())
                .map(limit -> limit.getKey() + " = " + status.get(limit.getKey()) + " > " + limit.getValue())
                .collect(Collectors.joining(", "));
        return words.isEmpty() ? Optional.empty() : Optional.of(words);
    }

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return most.entrySet().stream()
                .map(limit -> limit.getKey() + "=" + limit.getValue())
                .collect(Collectors.joining(","));
    }
}
