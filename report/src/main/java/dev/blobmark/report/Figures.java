package dev.blobmark.report;

import dev.blobmark.lab.study.Levels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How numbers and levels are written for people. */
final class Figures {

    private static final Pattern SIZE = Pattern.compile("(\\d+)(KB|MB|GB)?");

    private Figures() {}

    /** Three significant digits, whole numbers in full, at most four decimals: 1215, 65.3, 4.21, 0.0123. */
    static String number(double x) {
        int decimals = x == 0 ? 0 : Math.max(0, Math.min(4, 2 - (int) Math.floor(Math.log10(Math.abs(x)))));
        return String.format(Locale.ROOT, "%." + decimals + "f", x);
    }

    /** A ratio: two decimals, three below 0.1, and no more than that it is small below 0.001. */
    static String ratio(double x) {
        return x < 0.001 ? "<0.001" : String.format(Locale.ROOT, x < 0.1 ? "%.3f" : "%.2f", x);
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", share * 100);
    }

    /** From the smaller to the larger, in the decimals of the larger. */
    static String range(double min, double max) {
        String to = number(max);
        int decimals = to.contains(".") ? to.length() - to.indexOf('.') - 1 : 0;
        return String.format(Locale.ROOT, "%." + decimals + "f – %s", min, to);
    }

    /** A whole number in groups of three. */
    static String count(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }

    static String memory(long bytes) {
        return String.format(Locale.ROOT, "%.1f GB", bytes / (double) (1L << 30));
    }

    static String duration(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1000 == 0 ? count(millis / 1000) + " s" : count(millis) + " ms";
    }

    static String plural(long n, String word) {
        return count(n) + " " + word + (n == 1 ? "" : "s");
    }

    /** {@code a}, {@code a and b}, {@code a, b and c}. */
    static String enumerate(List<String> words) {
        int last = words.size() - 1;
        return last < 1
                ? String.join("", words)
                : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
    }

    /** {@code 64KB} becomes {@code 64 KB}, {@code 34011} becomes {@code 34,011 bytes}. */
    static String size(String level) {
        Matcher size = SIZE.matcher(level);
        if (!size.matches()) {
            return level;
        }
        long n = Long.parseLong(size.group(1));
        return size.group(2) == null ? plural(n, "byte") : count(n) + " " + size.group(2);
    }

    /** The levels of a condition, size and values first, without the workload. */
    static List<String> levels(Levels condition) {
        Map<String, String> rest = new TreeMap<>(condition.byFactor());
        rest.remove("workload");
        // these go without saying
        rest.remove("processes", "1");
        rest.remove("rate", "closed");
        List<String> words = new ArrayList<>();
        for (String first : List.of("size", "dataset")) {
            if (rest.containsKey(first)) {
                words.add(level(first, rest.remove(first)));
            }
        }
        rest.forEach((factor, level) -> words.add(level(factor, level)));
        return words;
    }

    static String level(String factor, String level) {
        return switch (factor) {
            case "size" -> size(level);
            case "dataset", "link" -> level;
            case "threads" -> level + (level.equals("1") ? " thread" : " threads");
            case "processes" -> level + " processes";
            case "tls" -> "TLS " + level;
            case "rate" ->
                level.matches("[a-z]+:[0-9]+")
                        ? count(Long.parseLong(level.substring(level.indexOf(':') + 1))) + " offered per second"
                                + (level.startsWith("poisson") ? " (Poisson)" : "")
                        : "rate " + level;
            default -> factor + " " + level;
        };
    }

    /** A factor of 1, 1,000 or 1,000,000 for times of which the smallest still shows. */
    enum TimeUnit {
        NS("ns", 1),
        US("µs", 1e3),
        MS("ms", 1e6);

        final String symbol;
        final double nanos;

        TimeUnit(String symbol, double nanos) {
            this.symbol = symbol;
            this.nanos = nanos;
        }

        static TimeUnit forSmallest(double nanos) {
            return nanos >= 1e6 ? MS : nanos >= 1e3 ? US : NS;
        }
    }
}
