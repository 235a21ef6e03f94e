package dev.blobmark.mysql.table;

import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dates and times, as the server prints them, as numbers in the same order, and back. Only positions that are drawn
 * pass through here.
 */
final class KeyDates {

    private static final Pattern DATE =
            Pattern.compile("(\\d{4})-(\\d\\d)-(\\d\\d)(?: (\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?)?");
    private static final Pattern TIME = Pattern.compile("(-?)(\\d{2,3}):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?");
    private static final long MICROS = 1_000_000;
    private static final long DAY_MICROS = 24 * 60 * 60 * MICROS;

    /** Months and days may be 0, and any month may have 31 days. */
    private static final int MONTHS = 13;

    private static final int DAYS = 32;

    private KeyDates() {}

    /** @throws IllegalArgumentException if it is not a date */
    static BigInteger ofDate(String date) {
        Matcher m = matched(DATE, date);
        long day = (number(m, 1) * MONTHS + number(m, 2)) * DAYS + number(m, 3);
        long micros = ((number(m, 4) * 60 + number(m, 5)) * 60 + number(m, 6)) * MICROS + micros(m.group(7));
        return BigInteger.valueOf(day * DAY_MICROS + micros);
    }

    /** The last day of the month for a day that it does not have. */
    static String date(BigInteger number) {
        long day = number.longValueExact() / DAY_MICROS;
        long year = day / DAYS / MONTHS;
        int month = (int) (day / DAYS % MONTHS);
        long days = day % DAYS;
        long most = month == 0 ? days : YearMonth.of((int) year, month).lengthOfMonth();
        return String.format(Locale.ROOT, "%04d-%02d-%02d", year, month, Math.min(days, most));
    }

    static String dateTime(BigInteger number, int digits) {
        return date(number) + " " + clock(number.longValueExact() % DAY_MICROS, digits);
    }

    /** The time zone is UTC; 0 is the zero date. */
    static BigInteger ofTimestamp(String timestamp) {
        Matcher m = matched(DATE, timestamp);
        if (number(m, 1) == 0) {
            return BigInteger.ZERO;
        }
        LocalDateTime time = LocalDateTime.of(
                (int) number(m, 1),
                (int) number(m, 2),
                (int) number(m, 3),
                (int) number(m, 4),
                (int) number(m, 5),
                (int) number(m, 6));
        return BigInteger.valueOf(time.toEpochSecond(ZoneOffset.UTC) * MICROS + micros(m.group(7)));
    }

    static String timestamp(BigInteger number, int digits) {
        long micros = number.longValueExact();
        if (micros < MICROS) { // the first one is that of the first second
            return "0000-00-00 " + clock(0, digits);
        }
        LocalDateTime time = LocalDateTime.ofEpochSecond(micros / MICROS, 0, ZoneOffset.UTC);
        return time.toLocalDate() + " " + clock(micros % DAY_MICROS, digits);
    }

    static BigInteger ofTime(String time) {
        Matcher m = matched(TIME, time);
        long micros = ((number(m, 2) * 60 + number(m, 3)) * 60 + number(m, 4)) * MICROS + micros(m.group(5));
        return BigInteger.valueOf(m.group(1).isEmpty() ? micros : -micros);
    }

    static String time(BigInteger number, int digits) {
        return (number.signum() < 0 ? "-" : "") + clock(number.abs().longValueExact(), digits);
    }

    private static String clock(long micros, int digits) {
        long seconds = micros / MICROS;
        String fraction = String.format(Locale.ROOT, "%06d", micros % MICROS);
        return String.format(Locale.ROOT, "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
                + (digits == 0 ? "" : "." + fraction.substring(0, digits));
    }

    private static Matcher matched(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a date or time of the server: '" + text + "'");
        }
        return matcher;
    }

    private static long number(Matcher matcher, int group) {
        return matcher.group(group) == null ? 0 : Long.parseLong(matcher.group(group));
    }

    private static long micros(String fraction) {
        return fraction == null ? 0 : Long.parseLong((fraction + "000000").substring(0, 6));
    }
}
