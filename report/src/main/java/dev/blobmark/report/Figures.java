package dev.blobmark.report;

import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers as text for people. */
final class Figures {

    private static final List<String> BYTE_UNITS = List.of("KB", "MB", "GB", "TB", "PB");

    private static final Pattern SIZE = Pattern.compile("(\\d+)(KB|MB|GB)?");

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

    private Figures() {}

    static String minute(Instant time) {
        return MINUTE.format(time);
    }

    /** Three significant digits, whole numbers in full, at most four decimals: 1215, 65.3, 4.21, 0.0123. */
    static String number(double x) {
        int decimals = x == 0 ? 0 : Math.max(0, Math.min(4, 2 - (int) Math.floor(Math.log10(Math.abs(x)))));
        return String.format(Locale.ROOT, "%." + decimals + "f", x);
    }

    /**
     * A ratio: two decimals, three below 0.1, none from 100. Ratios below 0.001 and above 10,000 are written as a
     * bound.
     */
    static String ratio(double x) {
        return ratio(x, x < 0.1 ? 3 : 2);
    }

    private static String ratio(double x, int decimals) {
        return x < 0.001
                ? "<0.001"
                : x >= 10_000 ? ">9999" : String.format(Locale.ROOT, "%." + (x >= 100 ? 0 : decimals) + "f", x);
    }

    /**
     * {@code 1.32 × (1.28–1.36)}: an effect and its interval, with enough decimals to show the width of the interval.
     */
    static String times(Effect effect) {
        if (!(effect.interval() instanceof Interval.Range range)) {
            return ratio(effect.ratio()) + " ×";
        }
        double reach = (range.high() - range.low()) / 2;
        int decimals = reach == 0
                ? effect.ratio() < 0.1 ? 3 : 2
                : Math.max(2, Math.min(5, -(int) Math.floor(Math.log10(reach))));
        String from = ratio(range.low(), decimals);
        String to = ratio(range.high(), decimals);
        return ratio(effect.ratio(), decimals) + " ×" + (to.startsWith("<") ? "" : " (" + from + "–" + to + ")");
    }

    /** {@code ± 3.1 %}. */
    static String plusMinus(double share) {
        return "± " + percentage(share);
    }

    /** {@code 3.1 %}: with a decimal below 10. */
    static String percentage(double share) {
        return String.format(Locale.ROOT, share < 0.1 ? "%.1f %%" : "%.0f %%", share * 100);
    }

    /** {@code 1538 MB/s}: a figure of a metric, for a sentence. */
    static String amount(Metric metric, double figure) {
        return switch (metric.unit()) {
            case BYTES_PER_SECOND -> number(figure / 1e6) + " MB/s";
            case PER_SECOND -> number(figure) + " operations per second";
            case NANOS, NANOS_PER_OPERATION -> number(figure / 1e3) + " µs";
            case BYTES, BYTES_PER_OPERATION -> number(figure / 1024) + " KB";
            case PER_OPERATION, NONE -> number(figure);
        };
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", share * 100);
    }

    /** A range, with the decimals of the larger number. */
    static String range(double min, double max) {
        String to = number(max);
        int decimals = to.contains(".") ? to.length() - to.indexOf('.') - 1 : 0;
        return String.format(Locale.ROOT, "%." + decimals + "f – %s", min, to);
    }

    /** A whole number with digits in groups of three. */
    static String count(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }

    static String memory(long bytes) {
        return String.format(Locale.ROOT, "%.1f GB", bytes / (double) (1L << 30));
    }

    /** {@code 290 bytes}, {@code 1.1 KB}, {@code 8.2 GB}: a KB has 1024 bytes. */
    static String bytes(long bytes) {
        if (bytes < 1024) {
            return plural(bytes, "byte");
        }
        double shown = bytes / 1024.0;
        int unit = 0;
        while (shown >= 999.5 && unit < BYTE_UNITS.size() - 1) {
            shown /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, shown < 9.95 ? "%.1f %s" : "%.0f %s", shown, BYTE_UNITS.get(unit));
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

    private static final Pattern MIX = Pattern.compile("mix:(\\d+)");

    /** {@code 90 % reads and 10 % updates}, of a condition whose workload is a mix of both. */
    static Optional<String> mix(Levels condition) {
        return condition
                .find(Workload.FACTOR)
                .map(MIX::matcher)
                .filter(Matcher::matches)
                .map(mix -> Integer.parseInt(mix.group(1)))
                .map(reads -> reads + " % reads and " + (100 - reads) + " % updates");
    }

    /** The operation: {@code fetch}, {@code mix of 90 % reads and 10 % updates}, {@code fetch in a mix of …}. */
    static String operation(String type, Levels condition) {
        return mix(condition)
                .map(mix -> (type.equals(Sample.MIX) ? "mix of " : type + " in a mix of ") + mix)
                .orElse(type);
    }

    /** Nanoseconds, microseconds or milliseconds, so that the smallest time still has digits. */
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

    /**
     * The unit of a column.
     *
     * @param symbol empty for none
     * @param size of the unit, in the metric's own unit
     */
    record UnitScale(String symbol, double size) {

        /** @param smallest figure, which must still have digits */
        static UnitScale of(Metric.MetricUnit unit, double smallest) {
            return switch (unit) {
                case BYTES_PER_SECOND -> new UnitScale("MB/s", 1e6);
                case PER_SECOND -> new UnitScale("op/s", 1);
                case NANOS, NANOS_PER_OPERATION -> {
                    TimeUnit time = TimeUnit.forSmallest(smallest);
                    yield new UnitScale(time.symbol, time.nanos);
                }
                case BYTES, BYTES_PER_OPERATION -> new UnitScale("KB", 1024);
                case PER_OPERATION, NONE -> new UnitScale("", 1);
            };
        }

        /** KB to PB, in which the smallest figure still has digits. */
        static UnitScale ofBytes(double smallest) {
            double size = 1024;
            int unit = 0;
            while (smallest >= 1024 * size && unit < BYTE_UNITS.size() - 1) {
                size *= 1024;
                unit++;
            }
            return new UnitScale(BYTE_UNITS.get(unit), size);
        }

        String print(double figure) {
            return number(figure / size);
        }
    }
}
