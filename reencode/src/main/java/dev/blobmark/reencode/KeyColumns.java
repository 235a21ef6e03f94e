package dev.blobmark.reencode;

import dev.blobmark.lab.dataset.TableColumn;
import dev.blobmark.lab.dataset.table.TableKey;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The columns of a key, as the binary log has them. */
final class KeyColumns {

    /** What is in the log of a text is in the column's own character set. */
    private static final Map<String, Charset> CHARSETS = Map.of(
            "utf8mb4", StandardCharsets.UTF_8,
            "utf8mb3", StandardCharsets.UTF_8,
            "utf8", StandardCharsets.UTF_8,
            "ascii", StandardCharsets.US_ASCII,
            "latin1", Charset.forName("windows-1252"));

    private static final Map<String, Integer> BITS =
            Map.of("tinyint", 8, "smallint", 16, "mediumint", 24, "int", 32, "bigint", 64);

    private final List<Part> parts;

    /**
     * A column.
     *
     * @param index in a row, from 0
     * @param length of BINARY, which the log has without zero bytes at the end; otherwise 0
     */
    private record Part(int index, String type, boolean isUnsigned, Charset charset, int length) {}

    private KeyColumns(List<Part> parts) {
        this.parts = parts;
    }

    /** @throws ReencodeException if a part of the key has another character set than can be read from the log */
    static KeyColumns of(Connection connection, TableColumn column, TableKey key) throws SQLException {
        List<Part> parts = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT ordinal_position, data_type, column_type, character_set_name, character_maximum_length FROM"
                        + " information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = ?")) {
            for (String name : key.names()) {
                select.setString(1, column.schema());
                select.setString(2, column.table());
                select.setString(3, name);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    String type = row.getString(2).toLowerCase(Locale.ROOT);
                    String charset = row.getString(4);
                    if (charset != null && !CHARSETS.containsKey(charset)) {
                        throw new ReencodeException(
                                column.name(),
                                "the key's column " + name + " has the character set " + charset
                                        + ", which is not read from the binary log",
                                "use --mode in-place");
                    }
                    parts.add(new Part(
                            row.getInt(1) - 1,
                            type,
                            row.getString(3).contains("unsigned"),
                            charset == null ? StandardCharsets.ISO_8859_1 : CHARSETS.get(charset),
                            type.equals("binary") ? row.getInt(5) : 0));
                }
            }
        }
        return new KeyColumns(parts);
    }

    /** Whether all parts are among the columns of a row image. */
    boolean isIn(BitSet included) {
        return parts.stream().allMatch(part -> included.get(part.index()));
    }

    /**
     * The key of a row image, as {@link TableKey} has it.
     *
     * @param row values of the columns that are included
     */
    List<Object> read(Serializable[] row, BitSet included) {
        List<Object> key = new ArrayList<>();
        for (Part part : parts) {
            int place = included.get(0, part.index()).cardinality();
            key.add(value(part, row[place]));
        }
        return key;
    }

    private static Object value(Part part, Serializable logged) {
        if (logged instanceof byte[] bytes) {
            byte[] whole = part.length() > bytes.length ? Arrays.copyOf(bytes, part.length()) : bytes;
            return new String(whole, part.charset());
        }
        if (logged instanceof BigDecimal decimal) {
            return decimal;
        }
        long number = ((Number) logged).longValue();
        if (!part.isUnsigned() || number >= 0 || !BITS.containsKey(part.type())) {
            return BigDecimal.valueOf(number);
        }
        return new BigDecimal(BigInteger.valueOf(number).add(BigInteger.ONE.shiftLeft(BITS.get(part.type()))));
    }
}
