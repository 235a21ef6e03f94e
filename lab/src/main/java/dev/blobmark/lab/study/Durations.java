package dev.blobmark.lab.study;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as written in studies and on the command line: a whole number and {@code ms}, {@code s} or {@code m}. */
public final class Durations {

    private static final Duration MAX = Duration.ofHours(24);

    private static final Pattern FORM = Pattern.compile("([0-9]{1,9}) ?(ms|s|m)");

    private Durations() {}

    /** The text does not have the form of a duration. */
    static final class NotADuration extends IllegalArgumentException {
        NotADuration(String text) {
            super("'" + text + "' is not a duration; write 250ms, 1s or 2m");
        }
    }

    /** @throws IllegalArgumentException with the reason and the remedy, also above 24 hours */
    public static Duration parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new NotADuration(text);
        }
        long number = Long.parseLong(form.group(1));
        Duration duration = switch (form.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMinutes(number);
        };
        if (duration.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("'" + text + "' is longer than 24 hours (1440m); give a shorter time");
        }
        return duration;
    }

    /** The shortest text that {@link #parse} reads back, down to whole milliseconds. */
    public static String print(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        return millis == 0 || millis % 60_000 != 0 ? millis / 1000 + "s" : millis / 60_000 + "m";
    }
}
