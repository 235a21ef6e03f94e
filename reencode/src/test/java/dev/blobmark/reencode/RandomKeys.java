package dev.blobmark.reencode;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Columns of random types, with values that are extreme, or equal to others in part. */
final class RandomKeys {

    /** In many character sets; the first ones are equal in some collations. */
    private static final String CHARACTERS = "aAäÀbBß ssSſéeＥ日本カかИиΩω😀0_%'\\\u0001";

    private final Random random;
    private final List<Collation> collations;

    /** A collation with its character set, and the bytes of a character at most. */
    record Collation(String name, String charset, int maxBytes, boolean isForChar) {}

    /**
     * A column.
     *
     * @param type for CREATE TABLE
     * @param literal a value, in SQL
     */
    record Column(String type, Supplier<String> literal) {}

    RandomKeys(long seed, List<Collation> collations) {
        random = new Random(seed);
        this.collations = collations;
    }

    int next(int bound) {
        return random.nextInt(bound);
    }

    private String one(String... of) {
        return of[random.nextInt(of.length)];
    }

    Column column() {
        return switch (random.nextInt(14)) {
            case 0 -> integer();
            case 1 -> decimal();
            case 2 -> new Column("YEAR", () -> one("0", "1901", "2155", Integer.toString(1901 + random.nextInt(255))));
            case 3 -> bits();
            case 4 -> members("ENUM", 1 + random.nextInt(40));
            case 5 -> members("SET", 1 + random.nextInt(9));
            case 6 -> new Column("DATE", this::date);
            case 7 -> fraction("DATETIME", digits -> quoted(date().replace("'", "") + " " + clock(24, digits)));
            case 8 ->
                fraction(
                        "TIMESTAMP",
                        digits -> one(
                                "0",
                                "'1970-01-01 00:00:01'",
                                "'2038-01-19 03:14:07'",
                                quoted("2026-10-25 0" + random.nextInt(4) + ":30:0" + random.nextInt(3))));
            case 9 ->
                fraction(
                        "TIME",
                        digits -> one(
                                "'-838:59:59'",
                                "'838:59:59'",
                                "'00:00:00'",
                                quoted(one("-", "") + clock(838, digits))));
            case 10 -> bytes();
            default -> text();
        };
    }

    private Column integer() {
        int bytes = List.of(1, 2, 3, 4, 8).get(random.nextInt(5));
        boolean isUnsigned = random.nextBoolean();
        BigInteger span = BigInteger.ONE.shiftLeft(8 * bytes);
        BigInteger least = isUnsigned ? BigInteger.ZERO : span.shiftRight(1).negate();
        String type = List.of("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "", "", "", "BIGINT")
                .get(bytes - 1);
        return new Column(type + (isUnsigned ? " UNSIGNED" : ""), () -> {
            BigInteger other = new BigInteger(8 * bytes, random);
            return least.add(
                            switch (random.nextInt(4)) {
                                case 0 -> BigInteger.valueOf(random.nextInt(3));
                                case 1 -> span.subtract(BigInteger.valueOf(1 + random.nextInt(3)));
                                default -> other;
                            })
                    .toString();
        });
    }

    private Column decimal() {
        int digits = 1 + random.nextInt(65);
        int scale = random.nextInt(Math.min(digits, 30) + 1);
        return new Column("DECIMAL(" + digits + "," + scale + ")", () -> {
            int some = random.nextBoolean() ? Math.min(digits, 2) : digits;
            String number = IntStream.range(0, some)
                    .mapToObj(i -> Integer.toString(random.nextInt(4) == 0 ? 9 : random.nextInt(10)))
                    .collect(Collectors.joining());
            return one("-", "") + number + "e-" + scale;
        });
    }

    private Column bits() {
        int length = 1 + random.nextInt(64);
        return new Column(
                "BIT(" + length + ")",
                () -> random.nextInt(4) == 0
                        ? BigInteger.ONE
                                .shiftLeft(length)
                                .subtract(BigInteger.ONE)
                                .toString()
                        : new BigInteger(length, random).toString());
    }

    /** The order of names is not that of the numbers. */
    private Column members(String type, int count) {
        String names = IntStream.range(0, count)
                .mapToObj(i -> quoted((type.equals("ENUM") && i % 5 == 3 ? "a,b''" : "m") + (count - i)))
                .collect(Collectors.joining(","));
        int values = type.equals("ENUM") ? count + 1 : 1 << count;
        return new Column(type + "(" + names + ")", () -> Integer.toString(random.nextInt(values)));
    }

    private interface Digits {
        String literal(int digits);
    }

    private Column fraction(String type, Digits literal) {
        int digits = random.nextInt(7);
        return new Column(type + "(" + digits + ")", () -> literal.literal(digits));
    }

    private String date() {
        return one(
                "'0000-00-00'",
                "'9999-12-31'",
                "'0001-01-01'",
                "'2026-00-00'",
                "'2026-02-31'",
                String.format(
                        Locale.ROOT, "'20%02d-%02d-%02d'", random.nextInt(40), random.nextInt(13), random.nextInt(32)));
    }

    private String clock(int hours, int digits) {
        String time = String.format(
                Locale.ROOT, "%02d:%02d:%02d", random.nextInt(hours), 59 * random.nextInt(2), random.nextInt(60));
        return time
                + (digits == 0
                        ? ""
                        : "."
                                + Integer.toString(1_000_000 + random.nextInt(1_000_000))
                                        .substring(1, 1 + digits));
    }

    private Column bytes() {
        int length = 1 + random.nextInt(20);
        return new Column(one("BINARY", "VARBINARY") + "(" + length + ")", () -> {
            byte[] bytes = new byte[random.nextInt(length + 1)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) List.of(0, 0, 1, 32, 255, random.nextInt(256))
                        .get(random.nextInt(6))
                        .intValue();
            }
            return hex(bytes);
        });
    }

    private Column text() {
        Collation collation = collations.get(random.nextInt(collations.size()));
        int length = 1 + random.nextInt(20);
        String type = collation.isForChar() ? one("CHAR", "VARCHAR") : "VARCHAR";
        return new Column(
                type + "(" + length + ") CHARACTER SET " + collation.charset() + " COLLATE " + collation.name(),
                () -> collation.maxBytes() == 1 && random.nextBoolean()
                        ? "CONVERT(" + hex(anyBytes(length)) + " USING " + collation.charset() + ")"
                        : "CONVERT(CONVERT(" + hex(characters(length)) + " USING utf8mb4) USING " + collation.charset()
                                + ")");
    }

    private byte[] anyBytes(int length) {
        byte[] bytes = new byte[random.nextInt(length + 1)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) List.of(0x81, 0x8D, 0x90, 0x20, 0x61, random.nextInt(256))
                    .get(random.nextInt(6))
                    .intValue();
        }
        return bytes;
    }

    private byte[] characters(int length) {
        int[] all = CHARACTERS.codePoints().toArray();
        int[] some = random.ints(random.nextInt(length + 1), 0, random.nextBoolean() ? 9 : all.length)
                .map(i -> all[i])
                .toArray();
        String spaces = " ".repeat(some.length == length ? 0 : random.nextInt(2));
        return (new String(some, 0, some.length) + spaces).getBytes(StandardCharsets.UTF_8);
    }

    private static String hex(byte[] bytes) {
        return "x'" + HexFormat.of().formatHex(bytes) + "'";
    }

    private static String quoted(String text) {
        return "'" + text + "'";
    }
}
