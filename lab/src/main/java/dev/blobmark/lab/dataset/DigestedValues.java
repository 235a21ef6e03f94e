package dev.blobmark.lab.dataset;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Values whose digest is computed on first use, and then kept. */
abstract class DigestedValues implements Values {

    private String digest;

    @Override
    public final synchronized String digest() {
        if (digest == null) {
            MessageDigest sha256 = sha256();
            sha256.update(bigEndian(count()));
            for (int i = 0; i < count(); i++) {
                byte[] value = get(i);
                sha256.update(bigEndian(value.length));
                sha256.update(value);
            }
            digest = HexFormat.of().formatHex(sha256.digest());
        }
        return digest;
    }

    private static byte[] bigEndian(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
