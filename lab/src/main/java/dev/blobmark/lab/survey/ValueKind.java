package dev.blobmark.lab.survey;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.IntPredicate;

/** What a value is, by its first bytes. */
public enum ValueKind {
    GZIP("gzip", true),
    COMPRESS("COMPRESS()", true),
    ZLIB("zlib", true),
    ZSTD("zstd", true),
    LZ4("LZ4", true),
    SNAPPY("snappy", true),
    BZIP2("bzip2", true),
    XZ("xz", true),
    SEVEN_ZIP("7z", true),
    RAR("RAR", true),
    ZIP("ZIP, JAR or DOCX", true),
    JPEG("JPEG", true),
    PNG("PNG", true),
    GIF("GIF", true),
    WEBP("WebP", true),
    JPEG_XL("JPEG XL", true),
    ISO_MEDIA("MP4, HEIC or AVIF", true),
    MATROSKA("Matroska or WebM", true),
    OGG("Ogg", true),
    FLAC("FLAC", true),
    MP3("MP3", true),
    PDF("PDF", true),
    PARQUET("Parquet", true),
    JSON("JSON", false),
    XML("XML or HTML", false),
    HEX("hexadecimal text", false),
    BASE64("base64", false),
    TEXT("text", false),
    BYTES("bytes", false);

    /** Bytes that are examined to tell text from other bytes. */
    private static final int EXAMINED_BYTES = 512;

    /** Shorter text is not called base64 or hexadecimal. */
    private static final int MIN_ENCODED_BYTES = 32;

    /** The greatest length that COMPRESS() writes, which has 30 bits. */
    private static final int MAX_COMPRESS_LENGTH = 1 << 30;

    private final String word;
    private final boolean isCompressed;

    ValueKind(String word, boolean isCompressed) {
        this.word = word;
        this.isCompressed = isCompressed;
    }

    /** For people: {@code JPEG}. */
    public String word() {
        return word;
    }

    /** Whether the format compresses. */
    public boolean isCompressed() {
        return isCompressed;
    }

    /**
     * @param value at least its first bytes
     * @param isText whether the column holds text, in whatever encoding
     */
    public static ValueKind of(byte[] value, boolean isText) {
        ValueKind container = container(value);
        if (container != BYTES) {
            return container;
        }
        int length = Math.min(value.length, EXAMINED_BYTES);
        for (int i = 0; i < length; i++) {
            if (value[i] >= 0 && value[i] < ' ' && "\t\n\r\f".indexOf(value[i]) < 0) {
                return isText ? TEXT : BYTES;
            }
        }
        String begin = new String(value, 0, length, StandardCharsets.UTF_8);
        int invalid = begin.indexOf('\ufffd');
        // the last character of those that are examined may be cut
        int end = value.length > length ? begin.length() - 4 : begin.length();
        if (!isText && invalid >= 0 && invalid < end) {
            return BYTES;
        }
        return text(begin.stripLeading());
    }

    private static ValueKind text(String begin) {
        if (begin.matches("(?s)\\{\\s*[\"}].*|\\[\\s*([\\[\\]{\"0-9-]|true|false|null).*")) {
            return JSON;
        }
        if (begin.matches("(?s)<[!?/A-Za-z].*")) {
            return XML;
        }
        if (begin.length() >= MIN_ENCODED_BYTES) {
            if (all(begin, c -> Character.digit(c, 16) >= 0 && c < 128)) {
                return HEX;
            }
            boolean isMixed = any(begin, c -> c >= 'A' && c <= 'Z')
                    && any(begin, c -> c >= 'a' && c <= 'z')
                    && any(begin, c -> c >= '0' && c <= '9' || c == '+' || c == '/');
            if (isMixed && begin.matches("[A-Za-z0-9+/_\\-\\r\\n]+={0,2}\\s*")) {
                return BASE64;
            }
        }
        return TEXT;
    }

    private static boolean all(String text, IntPredicate is) {
        return text.chars().allMatch(is);
    }

    private static boolean any(String text, IntPredicate is) {
        return text.chars().anyMatch(is);
    }

    private static ValueKind container(byte[] value) {
        if (begins(value, 0, "1f8b08")) {
            return GZIP;
        } else if (begins(value, 0, "28b52ffd")) {
            return ZSTD;
        } else if (begins(value, 0, "04224d18") || begins(value, 0, "02214c18")) {
            return LZ4;
        } else if (begins(value, 0, "ff060000734e61507059")) {
            return SNAPPY;
        } else if (begins(value, 0, "425a68") && begins(value, 4, "314159265359")) {
            return BZIP2;
        } else if (begins(value, 0, "fd377a585a00")) {
            return XZ;
        } else if (begins(value, 0, "377abcaf271c")) {
            return SEVEN_ZIP;
        } else if (begins(value, 0, "526172211a07")) {
            return RAR;
        } else if (begins(value, 0, "504b0304") || begins(value, 0, "504b0506") || begins(value, 0, "504b0708")) {
            return ZIP;
        } else if (begins(value, 0, "ffd8ff")) {
            return JPEG;
        } else if (begins(value, 0, "89504e470d0a1a0a")) {
            return PNG;
        } else if (begins(value, 0, "474946383761") || begins(value, 0, "474946383961")) {
            return GIF;
        } else if (begins(value, 0, "52494646") && begins(value, 8, "57454250")) {
            return WEBP;
        } else if (begins(value, 0, "0000000c4a584c200d0a870a")) {
            return JPEG_XL;
        } else if (begins(value, 4, "66747970")) {
            return ISO_MEDIA;
        } else if (begins(value, 0, "1a45dfa3")) {
            return MATROSKA;
        } else if (begins(value, 0, "4f676753")) {
            return OGG;
        } else if (begins(value, 0, "664c6143")) {
            return FLAC;
        } else if (begins(value, 0, "494433")) {
            return MP3;
        } else if (begins(value, 0, "255044462d")) {
            return PDF;
        } else if (begins(value, 0, "50415231")) {
            return PARQUET;
        } else if (isZlib(value, 0)) {
            return ZLIB;
        } else if (isZlib(value, Integer.BYTES)) {
            int length = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getInt();
            return length > 0 && length < MAX_COMPRESS_LENGTH ? COMPRESS : BYTES;
        }
        return BYTES;
    }

    private static boolean begins(byte[] value, int offset, String hex) {
        byte[] magic = HexFormat.of().parseHex(hex);
        for (int i = 0; i < magic.length; i++) {
            if (offset + i >= value.length || value[offset + i] != magic[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * The two bytes that begin a zlib stream: deflate with a window of 32 KB, one of four levels, and a check (RFC
     * 1950). By chance, one value of 16,384 begins so.
     */
    private static boolean isZlib(byte[] value, int offset) {
        return value.length > offset + 2
                && value[offset] == 0x78
                && ((value[offset] & 0xff) << 8 | value[offset + 1] & 0xff) % 31 == 0
                && (value[offset + 1] & 0x20) == 0;
    }
}
