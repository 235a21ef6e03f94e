package dev.blobmark.reencode.table;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names and digests for statements. */
public final class Names {

    private Names() {}

    /** A qualified name. */
    public static String quoted(String... names) {
        return Stream.of(names).map(name -> "`" + name.replace("`", "``") + "`").collect(Collectors.joining("."));
    }

    /** 16 bytes of the SHA-256 of a text. */
    public static byte[] digest(String text) {
        return Arrays.copyOf(sha256(text.getBytes(StandardCharsets.UTF_8)), 16);
    }

    public static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
