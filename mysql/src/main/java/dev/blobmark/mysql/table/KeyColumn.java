package dev.blobmark.mysql.table;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A column of a key: how its values are read, bound and compared, so that the server uses the index.
 *
 * @param position in the table, from 0
 * @param dataType as the server names it: {@code varchar}
 * @param columnType the same with its length: {@code varchar(40)}
 * @param charset of text; otherwise empty
 * @param collation of text; otherwise empty
 * @param fractionDigits of a second, 0 to 6; 0 for other types
 * @param isDescending in the index
 */
public record KeyColumn(
        String name,
        int position,
        String dataType,
        String columnType,
        Optional<String> charset,
        Optional<String> collation,
        int fractionDigits,
        boolean isDescending,
        Kind kind) {

    /**
     * What a value of a key is.
     *
     * <ul>
     *   <li>Numbers are {@link BigDecimal}: with the scale of the column; BIT as an unsigned number, ENUM as its index,
     *       SET as its bits.
     *   <li>Bytes are a String of the characters 0 to 255. So is text: the bytes of the column's character set, without
     *       the spaces that fill a CHAR.
     *   <li>Dates and times are a String as the server prints them, with the column's digits: {@code 2026-11-26
     *       10:00:00.123}. The time zone of TIMESTAMP is UTC.
     * </ul>
     */
    public enum Kind {
        NUMBER,
        /** Not exact: a row may not be found again. */
        APPROXIMATE,
        YEAR,
        BIT,
        ENUM,
        SET,
        DATE,
        DATETIME,
        TIMESTAMP,
        TIME,
        TEXT,
        BYTES;

        static Optional<Kind> of(String dataType) {
            return Optional.ofNullable(
                    switch (dataType) {
                        case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal" -> NUMBER;
                        case "float", "double" -> APPROXIMATE;
                        case "year" -> YEAR;
                        case "bit" -> BIT;
                        case "enum" -> ENUM;
                        case "set" -> SET;
                        case "date" -> DATE;
                        case "datetime" -> DATETIME;
                        case "timestamp" -> TIMESTAMP;
                        case "time" -> TIME;
                        case "char", "varchar" -> TEXT;
                        case "binary", "varbinary" -> BYTES;
                        default -> null;
                    });
        }

        /** Whether values are BigDecimal; otherwise they are String. */
        boolean isNumber() {
            return ordinal() <= SET.ordinal();
        }
    }

    /** Where rows are in the order of the key. */
    enum KeyRelation {
        BEFORE("<"),
        UP_TO("<="),
        EQUAL("="),
        FROM(">="),
        AFTER(">");

        private final String operator;

        KeyRelation(String operator) {
            this.operator = operator;
        }

        KeyRelation reversed() {
            return values()[values().length - 1 - ordinal()];
        }

        private boolean holds(int comparison) {
            return switch (this) {
                case BEFORE -> comparison < 0;
                case UP_TO -> comparison <= 0;
                case EQUAL -> comparison == 0;
                case FROM -> comparison >= 0;
                case AFTER -> comparison > 0;
            };
        }
    }

    /**
     * The most values of an ENUM or a SET. Neither server reads a range of them from an index, so a range is a list of
     * numbers. MariaDB makes a subquery of a list of 1,000 (in_predicate_conversion_threshold).
     */
    private static final int MAX_LISTED = 900;

    private static final int FIRST_YEAR = 1901;

    /**
     * Collations that MariaDB 11.4.5 compares otherwise than it orders the index, where a CHAR has the spaces that fill
     * it: {@code 'a'} is behind {@code 'a\t'} there. Those that do not pad, and of those with several levels at least
     * one.
     */
    private static final Pattern NOT_FOR_CHAR = Pattern.compile("_nopad_|_0900_|_uca1400_(?!(.*_)?ai_ci$)");

    /** Why the column cannot be part of a key; empty if it can. */
    Optional<String> problem(boolean isMariaDb) {
        if (isListed() && values() > MAX_LISTED) {
            return Optional.of("of type " + dataType + " with more than " + MAX_LISTED
                    + " possible values, whose order the server does not read from an index");
        }
        return collation
                .filter(name -> isMariaDb
                        && dataType.equals("char")
                        && NOT_FOR_CHAR.matcher(name).find())
                .map(name -> "of type char with the collation " + name
                        + ", which does not compare in the order of the index");
    }

    private boolean isListed() {
        return kind == Kind.ENUM || kind == Kind.SET;
    }

    /** The number of values of an ENUM or a SET, or more: a name may have commas too. */
    private long values() {
        long members = columnType.chars().filter(c -> c == ',').count() + 1;
        return kind == Kind.ENUM ? members + 1 : members < Long.SIZE - 1 ? 1L << members : Long.MAX_VALUE;
    }

    String quoted() {
        return TableKey.quoted(name);
    }

    /**
     * The expression that selects a value. Text is NULL if the server would not find it again by its bytes: they are
     * not valid in the character set, or the column has another one by now.
     */
    public String selected() {
        String quoted = quoted();
        return switch (kind) {
            case NUMBER, APPROXIMATE, BYTES -> quoted;
            case YEAR, BIT, ENUM, SET -> "CAST(" + quoted + " AS UNSIGNED)"; // + 0 is a double for ENUM and SET
            case DATE, DATETIME, TIMESTAMP, TIME -> "CAST(" + quoted + " AS CHAR)";
            case TEXT -> {
                String bytes = "CAST(" + quoted + " AS BINARY)";
                yield "IF(CAST(" + converted(bytes) + " AS BINARY) = " + bytes + ", " + bytes + ", NULL)";
            }
        };
    }

    private String converted(String bytes) {
        return "CONVERT(" + bytes + " USING " + charset.orElseThrow() + ")";
    }

    /**
     * A parameter of a statement. Its type is stated: a statement that was prepared when the column had another one
     * keeps the type of a bare parameter, and MySQL 9.7.4 compared {@code 00:02:00.00} as a date then.
     */
    private String parameter() {
        String digits = fractionDigits == 0 ? "" : "(" + fractionDigits + ")";
        return switch (kind) {
            case NUMBER, APPROXIMATE, YEAR, BIT, ENUM, SET, BYTES -> "?";
            case DATE -> "CAST(CAST(? AS CHAR) AS DATE)";
            case DATETIME, TIMESTAMP -> "CAST(CAST(? AS CHAR) AS DATETIME" + digits + ")";
            case TIME -> "CAST(CAST(? AS CHAR) AS TIME" + digits + ")";
            case TEXT -> converted("?") + " COLLATE " + collation.orElseThrow();
        };
    }

    /** The condition that a value is equal to a parameter. */
    String isEqual() {
        return quoted() + " = " + parameter();
    }

    /** The condition that a row is somewhere in the order of the index. */
    TableKey.Clause is(KeyRelation inIndex, Object value) {
        KeyRelation relation = isDescending ? inIndex.reversed() : inIndex;
        if (!isListed()) {
            return TableKey.Clause.of(quoted() + " " + relation.operator + " " + parameter(), this, value);
        }
        int number = ((BigDecimal) value).intValueExact();
        if (relation == KeyRelation.EQUAL) { // with one number, or with =, MySQL 9.7.4 sorts the rows by the next part
            return TableKey.Clause.of(quoted() + " IN (" + number + ", " + number + ")");
        }
        String listed = IntStream.range(0, Math.toIntExact(values()))
                .filter(each -> relation.holds(Integer.compare(each, number)))
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(", "));
        return TableKey.Clause.of(listed.isEmpty() ? "1 = 0" : quoted() + " IN (" + listed + ")");
    }

    /** Reads a value; empty if it cannot be found again. */
    Optional<Object> read(ResultSet row, int place) throws SQLException {
        if (kind.isNumber()) {
            return Optional.ofNullable(row.getBigDecimal(place));
        }
        return isBytes()
                ? Optional.ofNullable(row.getBytes(place)).map(KeyText::of)
                : Optional.ofNullable(row.getString(place));
    }

    private boolean isBytes() {
        return kind == Kind.TEXT || kind == Kind.BYTES;
    }

    void bind(PreparedStatement statement, int place, Object value) throws SQLException {
        Object object = object(value);
        if (object instanceof BigDecimal number) {
            if (number.scale() <= 0 && number.toBigInteger().bitLength() < Long.SIZE) {
                statement.setLong(place, number.longValue());
            } else {
                statement.setBigDecimal(place, number);
            }
        } else if (object instanceof byte[] bytes) {
            statement.setBytes(place, bytes);
        } else {
            statement.setString(place, (String) object);
        }
    }

    /** A value as a driver takes it: a number, bytes or a text. */
    Object object(Object value) {
        return isBytes() ? KeyText.bytes((String) value) : value;
    }

    String text(Object value) {
        return value instanceof BigDecimal number ? number.toPlainString() : (String) value;
    }

    Object parsed(String text) {
        return kind.isNumber() ? new BigDecimal(text) : text;
    }

    /** A value for users. */
    String readable(Object value) {
        return isBytes() ? KeyText.readable((String) value, charset.orElse("ascii")) : text(value);
    }

    /** A value that a user writes, as {@link #readable} shows it; empty if the column has no such value. */
    Optional<Object> written(String text) {
        if (isBytes()) {
            return KeyText.written(text, charset.orElse("utf8")).map(bytes -> bytes);
        }
        try {
            return Optional.of(parsed(text.strip()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** A value as a number in the order of the column; empty for text and bytes. */
    Optional<BigInteger> number(Object value) {
        return switch (kind) {
            case NUMBER -> Optional.of(((BigDecimal) value).unscaledValue());
            case APPROXIMATE ->
                Optional.of(((BigDecimal) value).setScale(0, RoundingMode.FLOOR).toBigInteger());
            case YEAR, BIT, ENUM, SET -> Optional.of(((BigDecimal) value).toBigInteger());
            case DATE, DATETIME -> Optional.of(KeyDates.ofDate((String) value));
            case TIMESTAMP -> Optional.of(KeyDates.ofTimestamp((String) value));
            case TIME -> Optional.of(KeyDates.ofTime((String) value));
            case TEXT, BYTES -> Optional.empty();
        };
    }

    /**
     * The value of a number, or one near to it, since there is not one for each number.
     *
     * @param like another value of the column
     */
    Object value(BigInteger number, Object like) {
        return switch (kind) {
            case NUMBER -> new BigDecimal(number, ((BigDecimal) like).scale());
            case YEAR -> new BigDecimal(number.signum() == 0 ? number : number.max(BigInteger.valueOf(FIRST_YEAR)));
            case APPROXIMATE, BIT, ENUM, SET -> new BigDecimal(number);
            case DATE -> KeyDates.date(number);
            case DATETIME -> KeyDates.dateTime(number, fractionDigits);
            case TIMESTAMP -> KeyDates.timestamp(number, fractionDigits);
            case TIME -> KeyDates.time(number, fractionDigits);
            case TEXT, BYTES -> throw new IllegalArgumentException("not a number: " + columnType);
        };
    }
}
