package dev.blobmark.fleet.host;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/**
 * A key pair by which Blobmark knows a host. The host makes it, and Spark passes its public half to Blobmark; the
 * private half never leaves the JVM. Ed25519 (RFC 8032).
 */
public final class HostKey {

    /** A public key in its X.509 encoding. */
    public static final int PUBLIC_BYTES = 44;

    public static final int SIGNATURE_BYTES = 64;

    private static final String ALGORITHM = "Ed25519";

    private final KeyPair pair;

    private HostKey(KeyPair pair) {
        this.pair = pair;
    }

    public static HostKey make() throws IOException {
        try {
            return new HostKey(KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new IOException("this JVM makes no keys of the kind " + ALGORITHM, e);
        }
    }

    byte[] publicBytes() {
        return pair.getPublic().getEncoded();
    }

    /** The public half as text. */
    public String text() {
        return text(publicBytes());
    }

    public static String text(byte[] publicBytes) {
        return Base64.getEncoder().encodeToString(publicBytes);
    }

    byte[] sign(byte[] statement) throws IOException {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(pair.getPrivate());
            signature.update(statement);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Whether the owner of a key has signed a statement. */
    static boolean verify(byte[] publicBytes, byte[] statement, byte[] signed) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(publicBytes)));
            signature.update(statement);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false; // not a key, or not a signature
        }
    }

    /** What a host signs: for one connection to one Blobmark, and one purpose. */
    static byte[] statement(byte[] challenge, byte[] certificate, byte purpose, int number) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes("blobmark fleet 1\0".getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(challenge);
        bytes.write(purpose);
        bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
        bytes.writeBytes(certificate);
        return bytes.toByteArray();
    }
}
