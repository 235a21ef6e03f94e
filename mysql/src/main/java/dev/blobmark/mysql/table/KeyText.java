package dev.blobmark.mysql.table;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Bytes of a key as text, for users and for positions that are drawn. What is read and compared never passes through
 * here. Bytes are strings of the characters 0 to 255.
 */
final class KeyText {

    /** Names of Java's character sets that have the characters of the server's, but for a few. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("ascii", "US-ASCII"),
            Map.entry("big5", "Big5"),
            Map.entry("cp1250", "windows-1250"),
            Map.entry("cp1251", "windows-1251"),
            Map.entry("cp1256", "windows-1256"),
            Map.entry("cp1257", "windows-1257"),
            Map.entry("cp850", "IBM850"),
            Map.entry("cp852", "IBM852"),
            Map.entry("cp866", "IBM866"),
            Map.entry("cp932", "windows-31j"),
            Map.entry("eucjpms", "x-eucJP-Open"),
            Map.entry("euckr", "EUC-KR"),
            Map.entry("gb18030", "GB18030"),
            Map.entry("gb2312", "GB2312"),
            Map.entry("gbk", "GBK"),
            Map.entry("greek", "ISO-8859-7"),
            Map.entry("hebrew", "ISO-8859-8"),
            Map.entry("koi8r", "KOI8-R"),
            Map.entry("koi8u", "KOI8-U"),
            Map.entry("latin1", "windows-1252"),
            Map.entry("latin2", "ISO-8859-2"),
            Map.entry("latin5", "ISO-8859-9"),
            Map.entry("latin7", "ISO-8859-13"),
            Map.entry("sjis", "Shift_JIS"),
            Map.entry("tis620", "TIS-620"),
            Map.entry("ucs2", "UTF-16BE"),
            Map.entry("ujis", "EUC-JP"),
            Map.entry("utf16", "UTF-16BE"),
            Map.entry("utf16le", "UTF-16LE"),
            Map.entry("utf32", "UTF-32BE"),
            Map.entry("utf8", "UTF-8"),
            Map.entry("utf8mb3", "UTF-8"),
            Map.entry("utf8mb4", "UTF-8"));

    private KeyText() {}

    private static Optional<Charset> charset(String name) {
        return Optional.ofNullable(NAMES.get(name)).filter(Charset::isSupported).map(Charset::forName);
    }

    /** Only if all bytes are characters. */
    private static Optional<String> decoded(String bytes, String charset) {
        return charset(charset).flatMap(known -> {
            try {
                return Optional.of(
                        known.newDecoder().decode(ByteBuffer.wrap(bytes(bytes))).toString());
            } catch (CharacterCodingException e) {
                return Optional.empty();
            }
        });
    }

    static byte[] bytes(String bytes) {
        return bytes.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String of(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** The bytes of each character; each byte for itself if the character set is not known. */
    static List<String> characters(String bytes, String charset) {
        List<String> characters = new ArrayList<>();
        decoded(bytes, charset)
                .ifPresent(text -> text.codePoints()
                        .forEach(c -> characters.add(of(
                                Character.toString(c).getBytes(charset(charset).orElseThrow())))));
        return String.join("", characters).equals(bytes)
                ? characters
                : bytes.chars().mapToObj(c -> Character.toString(c)).toList();
    }

    /** Text if all bytes are printable characters; otherwise hexadecimal digits. */
    static String readable(String bytes, String charset) {
        return decoded(bytes, charset)
                .filter(text -> text.codePoints()
                        .allMatch(c -> !Character.isISOControl(c)
                                && Character.isDefined(c)
                                && Character.getType(c) != Character.PRIVATE_USE))
                .orElseGet(() -> "0x" + HexFormat.of().withUpperCase().formatHex(bytes(bytes)));
    }

    /**
     * What {@link #readable} shows, as bytes again. Hexadecimal digits after {@code 0x} are always bytes.
     *
     * @return empty if the text has a character that the character set does not have, or that set is not known
     */
    static Optional<String> written(String text, String charset) {
        if (text.matches("0x([0-9A-Fa-f]{2})*")) {
            return Optional.of(of(HexFormat.of().parseHex(text, 2, text.length())));
        }
        return charset(charset)
                .filter(known -> known.newEncoder().canEncode(text))
                .map(known -> of(text.getBytes(known)));
    }
}
