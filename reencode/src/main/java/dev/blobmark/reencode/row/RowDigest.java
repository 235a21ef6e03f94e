package dev.blobmark.reencode.row;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.mysql.table.TableKey;
import dev.blobmark.reencode.failure.ReencodeException;
import dev.blobmark.reencode.table.Names;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * How the digests of a table's rows are computed, by the server and here alike. The digest of a value is a number that
 * follows from the CRC-32 of the row's key, times one that follows from that of the stored bytes. That of the other
 * columns is the same with the CRC-32 of all of them, with their lengths. Both are added up over the rows, so a row
 * that is missing, too many or different is found unless 32 bits are equal by chance.
 *
 * <p>CRC-32 alone is linear: two rows whose other columns differ in the same bits would have the same sum, or the same
 * exclusive or, as before. The factor of the key differs from row to row.
 */
public final class RowDigest {

    /** Stored bytes have numbers from 2 to 2^32 + 1. */
    private static final long OF_NULL = 1;

    private static final long OF_ZERO = 2;

    private static final Set<String> LONG = Set.of(
            "tinyblob",
            "blob",
            "mediumblob",
            "longblob",
            "tinytext",
            "text",
            "mediumtext",
            "longtext",
            "json",
            "geometry",
            "varchar",
            "varbinary");

    /**
     * Instead of the digest of a row with a column that the server does not give completely: it is NULL or empty, with
     * a warning only, if it exceeds max_allowed_packet. No sum of digests is as large.
     */
    private static final BigInteger UNSEEN = BigInteger.TEN.pow(30);

    /** What they are stored as has another length than their text, or none. */
    private static final Set<String> NO_LENGTH = Set.of("json", "geometry");

    private final TableColumn column;
    private final String key;
    private final String value;
    private final String others;

    private RowDigest(TableColumn column, String key, String value, String others) {
        this.column = column;
        this.key = key;
        this.value = value;
        this.others = others;
    }

    /** Of the columns of a table; its copy has the same names. */
    public static RowDigest of(Connection connection, TableColumn column, TableKey key) throws SQLException {
        List<String> texts = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        Set<String> virtual = types(connection, column, Set.of(Source.VIRTUAL)).keySet();
        // those that the server computes and stores too: what it computes may depend on the session
        types(connection, column, Set.of(Source.values())).forEach((name, type) -> {
            String text = text(Names.quoted(name), type);
            if (key.names().contains(name)) {
                keys.add(text);
            } else if (!virtual.contains(name) && !name.equalsIgnoreCase(column.column())) {
                String quoted = Names.quoted(name);
                texts.add("IF(" + quoted + " IS NULL, 'NULL', " + length(quoted, text, type) + ")");
                // all of them together could exceed max_allowed_packet
                texts.add(
                        "IF(" + quoted + " IS NULL, '', " + (LONG.contains(type) ? "CRC32(" + text + ")" : text) + ")");
            }
        });
        String ofKey = "CONCAT_WS('#', " + String.join(", ", keys) + ")";
        texts.add(0, ofKey);
        String crc = "CRC32(" + ofKey + ")";
        return new RowDigest(
                column,
                "((" + crc + " >> 1) + 1)",
                Names.quoted(column.column()),
                "IFNULL(((" + crc + " >> 1) + 1) * (CRC32(CONCAT(" + String.join(", '#', ", texts) + ")) + 1), "
                        + UNSEEN + ")");
    }

    /** The length of a text in bytes; NULL if the server does not give all of it. */
    private static String length(String name, String text, String type) {
        String length = "LENGTH(" + text + ")";
        return LONG.contains(type) && !NO_LENGTH.contains(type)
                ? "IF(LENGTH(" + name + ") = " + length + ", LENGTH(" + name + "), NULL)"
                : length;
    }

    /** A digest of other columns as the server has computed it. */
    public static BigInteger others(TableColumn column, ResultSet row, int number, String place) throws SQLException {
        BigInteger others = row.getBigDecimal(number).toBigIntegerExact();
        if (others.compareTo(UNSEEN) >= 0) {
            throw unseen(column, place);
        }
        return others;
    }

    /** A column of a row is longer than the server sends or computes with, so that it cannot be compared. */
    public static ReencodeException unseen(TableColumn column, String place) {
        return new ReencodeException(
                column.name() + place,
                "a column is longer, as bytes or as text, than max_allowed_packet, and cannot be read or compared",
                "raise max_allowed_packet (SET GLOBAL, 1 GB at most) until all values of the table fit it; the same command"
                        + " continues");
    }

    private BigInteger others(ResultSet row, int number, String place) throws SQLException {
        return others(column, row, number, place);
    }

    /**
     * Types of columns in lower case.
     *
     * @param of the columns that are wanted
     */
    private static Map<String, String> types(Connection connection, TableColumn column, Set<Source> of)
            throws SQLException {
        Map<String, String> types = new LinkedHashMap<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT column_name, data_type, extra FROM information_schema.columns WHERE table_schema = ? AND"
                        + " table_name = ? ORDER BY ordinal_position")) {
            select.setString(1, column.schema());
            select.setString(2, column.table());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    if (of.contains(Source.of(row.getString(3)))) {
                        types.put(row.getString(1), row.getString(2).toLowerCase(Locale.ROOT));
                    }
                }
            }
        }
        return types;
    }

    /** Columns that are not computed by the server, with expressions for bytes that differ if the values do. */
    public static Map<String, String> texts(Connection connection, TableColumn column) throws SQLException {
        Map<String, String> texts = new LinkedHashMap<>();
        types(connection, column, Set.of(Source.WRITTEN))
                .forEach((name, type) -> texts.put(name, text(Names.quoted(name), type)));
        return texts;
    }

    /** Columns that the server computes and stores, with the same expressions. */
    static Map<String, String> computed(Connection connection, TableColumn column) throws SQLException {
        Map<String, String> texts = new LinkedHashMap<>();
        types(connection, column, Set.of(Source.COMPUTED))
                .forEach((name, type) -> texts.put(name, text(Names.quoted(name), type)));
        return texts;
    }

    /** Names of the columns that are not computed by the server, in their order. */
    public static List<String> stored(Connection connection, TableColumn column) throws SQLException {
        return List.copyOf(types(connection, column, Set.of(Source.WRITTEN)).keySet());
    }

    /** Where what a column has comes from. */
    private enum Source {
        WRITTEN,
        /** By the server, when a row is written. */
        COMPUTED,
        /** By the server, for each reader. It may be another value each time, as the age of a row is. */
        VIRTUAL;

        /** DEFAULT_GENERATED is a default that is an expression. */
        private static Source of(String extra) {
            String upper = String.valueOf(extra).toUpperCase(Locale.ROOT);
            if (upper.contains("VIRTUAL GENERATED")) {
                return VIRTUAL;
            }
            return upper.contains("STORED GENERATED") || upper.contains("PERSISTENT") ? COMPUTED : WRITTEN;
        }
    }

    /**
     * Bytes that differ if the values do; NULL also if the server does not give them, see {@link #unseen}. FLOAT has
     * six digits as text, and all of them as DOUBLE.
     */
    private static String text(String name, String type) {
        return switch (type) {
            case "float" -> "CAST(" + name + " + 0e0 AS CHAR)";
            case "json" -> "NULLIF(CAST(" + name + " AS CHAR), '')"; // a document has two characters at least
            default -> "CAST(" + name + " AS BINARY)";
        };
    }

    /** The expression for the digest of a row's key, between 1 and 2^31. */
    public String key() {
        return key;
    }

    /** The expression for the digest of a row's other columns. */
    public String others() {
        return others;
    }

    /**
     * Reads the sum over rows.
     *
     * @param rows from FROM on, with parameters that are bound by the caller
     */
    public Sum sum(Connection connection, String rows, Binding binding) throws SQLException {
        String sql = "SELECT COUNT(*), COALESCE(SUM(" + ofValue() + "), 0), COALESCE(SUM(" + others + "), 0)" + rows;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            binding.bind(select);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new Sum(row.getLong(1), row.getBigDecimal(2).toBigIntegerExact(), others(row, 3, ""));
            }
        }
    }

    /** Reads the sum over the columns that are copied as they are, without the values. */
    public Sum others(Connection connection, String rows, Binding binding) throws SQLException {
        String sql = "SELECT COUNT(*), COALESCE(SUM(" + others + "), 0)" + rows;
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            binding.bind(select);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new Sum(row.getLong(1), BigInteger.ZERO, others(row, 2, ""));
            }
        }
    }

    private String ofValue() {
        return key + " * IF(" + value + " IS NULL, " + OF_NULL + ", CRC32(" + value + ") + " + OF_ZERO + ")";
    }

    /**
     * Adds the sums of rows one by one.
     *
     * @param rows from FROM on
     * @param sums receives them by key
     */
    public void add(Connection connection, TableKey of, String rows, Binding binding, Map<List<Object>, Sum> sums)
            throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT " + ofValue() + ", " + others + ", " + of.selected() + rows)) {
            binding.bind(select);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    List<Object> found = of.read(row, 3);
                    sums.put(
                            found,
                            new Sum(1, row.getBigDecimal(1).toBigIntegerExact(), others(row, 2, place(of, found))));
                }
            }
        }
    }

    /** Adds the sums of the other columns of rows one by one. */
    public void addOthers(Connection connection, TableKey of, String rows, Binding binding, Map<List<Object>, Sum> sums)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT " + others + ", " + of.selected() + rows)) {
            binding.bind(select);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    List<Object> found = of.read(row, 2);
                    sums.put(found, new Sum(1, BigInteger.ZERO, others(row, 1, place(of, found))));
                }
            }
        }
    }

    /** As errors name a row. */
    public static String place(TableKey of, List<Object> key) {
        return ", key " + String.join(", ", of.texts(key));
    }

    /** Sets the parameters of a statement. */
    public interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /**
     * The sum of one row.
     *
     * @param keyDigest by {@link #key}
     * @param stored bytes in the new table; null for NULL
     * @param othersDigest by {@link #others}
     */
    public static Sum of(long keyDigest, byte[] stored, BigInteger othersDigest) {
        long number = OF_NULL;
        if (stored != null) {
            CRC32 crc = new CRC32();
            crc.update(stored);
            number = crc.getValue() + OF_ZERO;
        }
        return new Sum(1, BigInteger.valueOf(keyDigest).multiply(BigInteger.valueOf(number)), othersDigest);
    }
}
