package dev.blobmark.lab.store;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The content of a column: bytes, text in a character set, or JSON documents; and how the returned form relates to the
 * stored one.
 */
public enum ColumnContent {
    BYTES,
    /**
     * {@code CHAR(N)}: only ASCII is the same in every character set of a connection, and trailing spaces are dropped.
     */
    PADDED_ASCII,
    ASCII,
    /** Windows-1252, as MySQL defines it: the five bytes that Windows does not define are control characters. */
    LATIN1,
    /** UTF-8 of at most three bytes per character. */
    UTF8MB3,
    UTF8MB4,
    /**
     * MySQL's JSON is a binary type, which returns a document in another form. MariaDB's is {@code LONGTEXT} in utf8mb4
     * with a check, and returns what was stored.
     */
    JSON;

    private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

    /** The name of the character set of text. */
    String characterSet() {
        return this == JSON ? "utf8mb4" : name().toLowerCase(Locale.ROOT);
    }

    /** Whether values must be stored unencoded, because encoded values are neither text nor JSON. */
    public boolean isPlain() {
        return this != BYTES && this != PADDED_ASCII;
    }

    /** Whether every driver returns a value as the bytes that were stored. */
    public boolean returnsBytes() {
        return this != LATIN1 && this != JSON;
    }

    /**
     * The placeholder of a value that a statement writes as bytes. MySQL does not convert bytes to JSON (error 3144).
     */
    String placeholder() {
        return this == JSON ? "CONVERT(? USING utf8mb4)" : "?";
    }

    /** The value in a row that MariaDB's driver has read, which gives MySQL's JSON as a string only. */
    public byte[] bytes(ResultSet row) throws SQLException {
        if (this != JSON) {
            return row.getBytes(1);
        }
        String text = row.getString(1);
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Why a column of this content cannot hold a value, as a predicate: {@code is not UTF-8}; empty if it can. */
    public Optional<String> problem(byte[] value) {
        return switch (this) {
            case BYTES, LATIN1 -> Optional.empty();
            case PADDED_ASCII ->
                !isAscii(value)
                        ? Optional.of("is not ASCII")
                        : value.length > 0 && value[value.length - 1] == ' '
                                ? Optional.of("ends in one")
                                : Optional.empty();
            case ASCII -> isAscii(value) ? Optional.empty() : Optional.of("is not ASCII");
            case UTF8MB3 ->
                notUtf8(value)
                        .or(() -> hasFourBytes(value)
                                ? Optional.of("has a character of four bytes, which utf8mb3 lacks")
                                : Optional.empty());
            case UTF8MB4 -> notUtf8(value);
            case JSON -> JsonText.problem(value);
        };
    }

    private static boolean isAscii(byte[] value) {
        for (byte b : value) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }

    private static Optional<String> notUtf8(byte[] value) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
            return Optional.empty();
        } catch (CharacterCodingException e) {
            return Optional.of("is not UTF-8");
        }
    }

    private static boolean hasFourBytes(byte[] utf8) {
        for (byte b : utf8) {
            if ((b & 0xf8) == 0xf0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a driver received the value that was stored: the same bytes; for text that is not in UTF-8 also the same
     * characters in UTF-8, which the server sends to MariaDB's driver; for JSON also {@linkplain JsonText#isSame the
     * same document}.
     */
    public boolean isSame(byte[] received, byte[] stored) {
        return Arrays.equals(received, stored)
                || switch (this) {
                    case LATIN1 -> Arrays.equals(received, latin1(stored).getBytes(StandardCharsets.UTF_8));
                    case JSON -> JsonText.isSame(received, stored);
                    default -> false;
                };
    }

    private static String latin1(byte[] bytes) {
        char[] text = new String(bytes, WINDOWS_1252).toCharArray();
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '\ufffd') {
                text[i] = (char) (bytes[i] & 0xff);
            }
        }
        return new String(text);
    }
}
