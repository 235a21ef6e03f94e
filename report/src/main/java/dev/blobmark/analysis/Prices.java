package dev.blobmark.analysis;

import dev.blobmark.lab.study.YamlSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * What a user pays for storage, traffic and processors, from a file of the user's. {@code docs/prices.md} describes it.
 * There are no default prices: a cost without its price is empty. A GB has 1,073,741,824 bytes.
 *
 * @param currency behind amounts; may be empty
 * @param diskGbMonth for a GB of disk in a month
 * @param backupGbMonth for a GB of backup in a month
 * @param trafficGb for a GB between zones
 * @param vcpuHour for a virtual processor in an hour
 * @param millionIo for a million reads or writes of the disk
 */
public record Prices(
        String currency,
        OptionalDouble diskGbMonth,
        OptionalDouble backupGbMonth,
        OptionalDouble trafficGb,
        OptionalDouble vcpuHour,
        OptionalDouble millionIo) {

    /** Hours of a month, as providers count them: 365 · 24 / 12. */
    public static final double HOURS_OF_MONTH = 730;

    private static final double GB = 1 << 30;
    private static final double MAX = 1e9;
    private static final String CURRENCY = "currency";
    private static final String DISK = "disk-gb-month";
    private static final String BACKUP = "backup-gb-month";
    private static final String TRAFFIC = "traffic-gb";
    private static final String VCPU = "vcpu-hour";
    private static final String IO = "million-io";

    /**
     * Reads a file of prices.
     *
     * @throws IllegalArgumentException with all problems: file, line and column, reason, remedy
     * @throws IOException if the file cannot be read
     */
    public static Prices read(Path file) throws IOException {
        return parse(Files.readString(file), file.toString());
    }

    /** @param source name of the text in messages */
    static Prices parse(String text, String source) {
        Map<String, Function<String, Object>> parsers = new HashMap<>();
        for (String key : new String[] {DISK, BACKUP, TRAFFIC, VCPU, IO}) {
            parsers.put(key, Prices::price);
        }
        parsers.put(CURRENCY, Prices::currency);
        Map<String, Object> values = YamlSettings.read(
                text, source, "the file of prices", "docs/prices.md shows what a file of prices looks like", parsers);
        return new Prices(
                (String) values.getOrDefault(CURRENCY, ""),
                price(values, DISK),
                price(values, BACKUP),
                price(values, TRAFFIC),
                price(values, VCPU),
                price(values, IO));
    }

    private static OptionalDouble price(Map<String, Object> values, String key) {
        return values.containsKey(key) ? OptionalDouble.of((Double) values.get(key)) : OptionalDouble.empty();
    }

    private static Double price(String text) {
        if (!text.matches("\\d{1,9}(\\.\\d{1,12})?") || Double.parseDouble(text) > MAX) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a price; write a number from 0 on, with a point: 0.12");
        }
        return Double.valueOf(text);
    }

    private static String currency(String text) {
        if (text.codePointCount(0, text.length()) > 8 || !text.matches("[\\p{L}\\p{Sc}]+")) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a currency; write its code or its sign, of up to 8 letters: EUR");
        }
        return text;
    }

    /** The cost of storing bytes for a month, on disk and in one backup; empty if neither has a price. */
    public OptionalDouble storedMonth(double bytes) {
        return diskGbMonth.isEmpty() && backupGbMonth.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(bytes / GB * (diskGbMonth.orElse(0) + backupGbMonth.orElse(0)));
    }

    /** The cost of bytes on disk for a month. */
    public OptionalDouble diskMonth(double bytes) {
        return times(bytes / GB, diskGbMonth);
    }

    /** The cost of bytes in one backup for a month. */
    public OptionalDouble backupMonth(double bytes) {
        return times(bytes / GB, backupGbMonth);
    }

    /** The cost of sending bytes to another zone. */
    public OptionalDouble traffic(double bytes) {
        return times(bytes / GB, trafficGb);
    }

    /** The cost of the time of a virtual processor. */
    public OptionalDouble processor(double seconds) {
        return times(seconds / 3_600, vcpuHour);
    }

    /** The cost of reads and writes of the disk. */
    public OptionalDouble io(double operations) {
        return times(operations / 1e6, millionIo);
    }

    private static OptionalDouble times(double amount, OptionalDouble price) {
        return price.isEmpty() ? price : OptionalDouble.of(amount * price.getAsDouble());
    }

    /** An amount for people: {@code 1,234 EUR}, {@code 12.30 EUR}, {@code 0.0042 EUR}. */
    public String text(double amount) {
        double size = Math.abs(amount);
        String form = size >= 100 ? "%,.0f" : size >= 0.1 || size == 0 ? "%.2f" : "%.4f";
        return (String.format(Locale.ROOT, form, amount) + " " + currency).strip();
    }
}
