package dev.blobmark.reencode.binlog;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;

/**
 * The form of a column's values in row images, by the type codes of {@code field_types.h} and the metadata of a
 * {@link TableMap}.
 *
 * @param form how long a value is, and how it is read
 * @param a precision of DECIMAL, number of bits, digits of a second's fraction, bytes of a length
 * @param b scale of DECIMAL
 */
public record LoggedType(Form form, int a, int b) {

    /** How values of a type are stored in a row image. */
    public enum Form {
        /** An integer of {@code a} bytes. */
        INTEGER,
        /** FLOAT or DOUBLE of {@code a} bytes. */
        APPROXIMATE,
        /** {@code a} digits; {@code b} are after the point. */
        DECIMAL,
        /** {@code a} bits. */
        BIT,
        YEAR,
        DATE,
        /** {@code a} digits of a second's fraction. */
        TIME,
        DATETIME,
        TIMESTAMP,
        /** The number of a member, or the bits of the members, of {@code a} bytes. */
        ENUM_OR_SET,
        /** CHAR, VARCHAR and bytes, after a length of {@code a} bytes. */
        STRING,
        /** BLOB, TEXT, JSON, GEOMETRY, VECTOR, after a length of {@code a} bytes. */
        BLOB,
        NULL
    }

    private static final int DIGITS_OF_FOUR_BYTES = 9;
    private static final int[] BYTES_OF_DIGITS = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    private static final int ONE_BYTE_LENGTH = 256;
    private static final int ENUM = 247;
    private static final int SET = 248;
    private static final int LENGTH_BITS = 0x30;
    private static final int HALF = 2;

    private static final long DATETIME_BIAS = 0x80_0000_0000L;
    private static final int MONTHS = 13;
    private static final int SIX = 6;

    private static LoggedType of(Form form, int a) {
        return new LoggedType(form, a, 0);
    }

    /**
     * Number of metadata bytes of a type.
     *
     * @throws IncompleteLogException if the type is not known
     */
    static int metadataBytes(int code) {
        return switch (code) {
            case 1, 2, 3, 6, 8, 9, 10, 13, 14 -> 0;
            case 4, 5, 17, 18, 19, 140, 242, 245, 249, 250, 251, 252, 255 -> 1;
            case 15, 16, 141, 246, 253, 254 -> 2;
            default -> throw unknown(code);
        };
    }

    private static IncompleteLogException unknown(int code) {
        return new IncompleteLogException(
                "the table has a column of the type with the code " + code + " in the log, which is not known"
                        + (code == 7 || code == 11 || code == 12
                                ? ": a TIMESTAMP, TIME or DATETIME in the form before MySQL 5.6; ALTER TABLE ... FORCE"
                                        + " converts it"
                                : ""));
    }

    static LoggedType of(int code, int[] metadata) {
        return switch (code) {
            case 1 -> of(Form.INTEGER, 1);
            case 2 -> of(Form.INTEGER, 2);
            case 9 -> of(Form.INTEGER, 3);
            case 3 -> of(Form.INTEGER, 4);
            case 8 -> of(Form.INTEGER, 8);
            case 4, 5 -> of(Form.APPROXIMATE, metadata[0]);
            case 6 -> of(Form.NULL, 0);
            case 10, 14 -> of(Form.DATE, 0);
            case 13 -> of(Form.YEAR, 0);
            case 15, 141, 253 -> of(Form.STRING, (metadata[0] | metadata[1] << Byte.SIZE) < ONE_BYTE_LENGTH ? 1 : 2);
            case 16 -> of(Form.BIT, metadata[0] + metadata[1] * Byte.SIZE);
            case 17 -> of(Form.TIMESTAMP, metadata[0]);
            case 18 -> of(Form.DATETIME, metadata[0]);
            case 19 -> of(Form.TIME, metadata[0]);
            case 246 -> new LoggedType(Form.DECIMAL, metadata[0], metadata[1]);
            case 254 -> string(metadata[0], metadata[1]);
            case 140, 242, 245, 249, 250, 251, 252, 255 -> of(Form.BLOB, metadata[0]);
            default -> throw unknown(code);
        };
    }

    /** CHAR, ENUM and SET. Two bits of the type are those of a length of more than 255, inverted. */
    private static LoggedType string(int type, int length) {
        if (type == ENUM || type == SET) {
            return of(Form.ENUM_OR_SET, length);
        }
        int whole = length | ((type & LENGTH_BITS) ^ LENGTH_BITS) << 4;
        return of(Form.STRING, whole < ONE_BYTE_LENGTH ? 1 : 2);
    }

    /** The bytes of a value that is not NULL. */
    byte[] take(Bytes image) {
        return image.bytes(length(image));
    }

    void skip(Bytes image) {
        image.skip(length(image));
    }

    private long length(Bytes image) {
        return switch (form) {
            case INTEGER, APPROXIMATE, ENUM_OR_SET -> a;
            case DECIMAL -> decimalBytes(a - b) + decimalBytes(b);
            case BIT -> (a + Byte.SIZE - 1) / Byte.SIZE;
            case YEAR -> 1;
            case DATE -> 3;
            case TIME -> 3 + fractionBytes();
            case TIMESTAMP -> 4 + fractionBytes();
            case DATETIME -> 5 + fractionBytes();
            case STRING, BLOB -> image.little(a);
            case NULL -> 0;
        };
    }

    private static int decimalBytes(int digits) {
        return digits / DIGITS_OF_FOUR_BYTES * 4 + BYTES_OF_DIGITS[digits % DIGITS_OF_FOUR_BYTES];
    }

    private int fractionBytes() {
        return (a + 1) / HALF;
    }

    /**
     * A value of a key's column, as {@code TableKey} reads it from the table: a {@link BigDecimal} for numbers, members
     * of ENUM, bits of SET and YEAR; for times, the text that the server prints, TIMESTAMP in UTC; otherwise the bytes
     * as characters from 0 to 255.
     *
     * @param isUnsigned whether an integer is
     * @param padded number of bytes of BINARY, which the log has without zero bytes at the end; otherwise 0
     * @throws IncompleteLogException if values of the form are not those of a key
     */
    public Object value(byte[] bytes, boolean isUnsigned, int padded) {
        Bytes value = new Bytes(bytes);
        return switch (form) {
            case INTEGER -> integer(value, isUnsigned);
            case ENUM_OR_SET -> new BigDecimal(Bytes.unsigned(value.little(a)));
            case BIT -> new BigDecimal(Bytes.unsigned(value.big(value.left())));
            case YEAR -> year(value.unsignedByte());
            case DECIMAL -> decimal(bytes);
            case DATE -> date(value.little(3));
            case DATETIME -> dateTime(value.big(5) - DATETIME_BIAS) + fraction(value);
            case TIMESTAMP -> timestamp(value.big(4)) + fraction(value);
            case TIME -> time(value);
            case STRING ->
                new String(padded > bytes.length ? Arrays.copyOf(bytes, padded) : bytes, StandardCharsets.ISO_8859_1);
            case APPROXIMATE, BLOB, NULL ->
                throw new IncompleteLogException("a column of the key has the form " + form + " in the log");
        };
    }

    private BigDecimal integer(Bytes value, boolean isUnsigned) {
        long number = value.little(a);
        if (isUnsigned) {
            return new BigDecimal(Bytes.unsigned(number));
        }
        int unused = Long.SIZE - a * Byte.SIZE;
        return BigDecimal.valueOf(number << unused >> unused);
    }

    private static BigDecimal year(int number) {
        return BigDecimal.valueOf(number == 0 ? 0 : 1900 + number);
    }

    /** Groups of 9 digits in 4 bytes, the highest first; the first bit is inverted, and all bits if it is negative. */
    private BigDecimal decimal(byte[] bytes) {
        byte[] plain = bytes.clone();
        boolean isNegative = plain[0] >= 0;
        plain[0] ^= (byte) 0x80;
        if (isNegative) {
            for (int i = 0; i < plain.length; i++) {
                plain[i] = (byte) ~plain[i];
            }
        }
        Bytes groups = new Bytes(plain);
        StringBuilder digits = new StringBuilder();
        int whole = a - b;
        group(groups, whole % DIGITS_OF_FOUR_BYTES, digits);
        for (int i = 0; i < whole / DIGITS_OF_FOUR_BYTES + b / DIGITS_OF_FOUR_BYTES; i++) {
            group(groups, DIGITS_OF_FOUR_BYTES, digits);
        }
        group(groups, b % DIGITS_OF_FOUR_BYTES, digits);
        BigInteger unscaled = new BigInteger(digits.toString());
        return new BigDecimal(isNegative ? unscaled.negate() : unscaled, b);
    }

    private static void group(Bytes groups, int count, StringBuilder digits) {
        if (count > 0) {
            long number = groups.big(BYTES_OF_DIGITS[count]);
            digits.append(String.format(Locale.ROOT, "%0" + count + "d", number));
        }
    }

    private static String date(long bits) {
        return text("%04d-%02d-%02d", bits >> 9, bits >> 5 & 15, bits & 31);
    }

    private static String dateTime(long bits) {
        long date = bits >> 17;
        long months = date >> 5;
        return text(
                "%04d-%02d-%02d %02d:%02d:%02d",
                months / MONTHS, months % MONTHS, date & 31, bits >> 12 & 31, bits >> 6 & 63, bits & 63);
    }

    private static String timestamp(long seconds) {
        if (seconds == 0) {
            return "0000-00-00 00:00:00";
        }
        LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochSecond(seconds), ZoneOffset.UTC);
        return text(
                "%04d-%02d-%02d %02d:%02d:%02d",
                time.getYear(),
                time.getMonthValue(),
                time.getDayOfMonth(),
                time.getHour(),
                time.getMinute(),
                time.getSecond());
    }

    /** A number of two, four or six digits; the last one may be too much. */
    private String fraction(Bytes value) {
        return a == 0 ? "" : "." + digits(value.big(fractionBytes()), fractionBytes() * HALF);
    }

    private String digits(long fraction, int count) {
        return String.format(Locale.ROOT, "%0" + count + "d", fraction).substring(0, a);
    }

    /** Negative times are those of the whole number of bits. */
    private String time(Bytes value) {
        int bytes = fractionBytes();
        int shift = bytes * Byte.SIZE;
        long bias = 1L << 23 + shift;
        long packed = value.big(3 + bytes) - bias;
        long positive = Math.abs(packed);
        long whole = positive >> shift;
        long fraction = positive & (1L << shift) - 1;
        return (packed < 0 ? "-" : "")
                + text("%02d:%02d:%02d", whole >> 12 & 0x3FF, whole >> SIX & 63, whole & 63)
                + (a == 0 ? "" : "." + digits(fraction, bytes * HALF));
    }

    private static String text(String format, Object... numbers) {
        return String.format(Locale.ROOT, format, numbers);
    }
}
