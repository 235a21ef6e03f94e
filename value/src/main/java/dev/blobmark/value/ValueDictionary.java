package dev.blobmark.value;

import dev.blobmark.codec.ZstdDictionary;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A dictionary for zstd. Its number is the beginning of its SHA-256, so that it is the same in every database. */
public final class ValueDictionary {

    private final ZstdDictionary zstd;
    private final byte[] sha256;

    private ValueDictionary(ZstdDictionary zstd, byte[] sha256) {
        this.zstd = zstd;
        this.sha256 = sha256;
    }

    /**
     * The dictionary that was made before.
     *
     * @param bytes as a trainer made them: {@link DictionaryTrainer}, or {@code zstd --train}
     * @throws IllegalArgumentException if there are none, or they are damaged or truncated as far as zstd finds out
     * @throws UnsupportedOperationException if the library of zstd is not there
     */
    public static ValueDictionary of(byte[] bytes) {
        return new ValueDictionary(ZstdDictionary.of(bytes), sha256(bytes));
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    /** The first 24 bits of its SHA-256, which stand in each value that is encoded with it. */
    public int number() {
        return number(sha256);
    }

    static int number(byte[] sha256) {
        return (sha256[0] & 0xFF) << 16 | (sha256[1] & 0xFF) << 8 | sha256[2] & 0xFF;
    }

    /** Its number as six hexadecimal digits, as messages and files have it. */
    public static String name(int number) {
        return HexFormat.of().toHexDigits(number, 6);
    }

    public byte[] sha256() {
        return sha256.clone();
    }

    /** The dictionary, as other programs take it. */
    public byte[] bytes() {
        return zstd.toBytes();
    }

    /** Of {@link #bytes}. */
    int length() {
        return zstd.bytes();
    }

    ZstdDictionary zstd() {
        return zstd;
    }

    /** Such as {@code dictionary 0f3a9c (65536 bytes)}. */
    @Override
    public String toString() {
        return "dictionary " + name(number()) + " (" + length() + " bytes)";
    }
}
