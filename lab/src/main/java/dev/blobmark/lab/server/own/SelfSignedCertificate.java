package dev.blobmark.lab.server.own;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import javax.security.auth.x500.X500Principal;

/**
 * A key and its certificate for localhost and 127.0.0.1, in PEM files for a server. MariaDB 11.4 would make an RSA key
 * of 4096 bits at each start, which takes 7 to 10 s. The JDK's keytool takes 0.8 s, most of it to start.
 *
 * <p>The key is RSA with 2048 bits, like those that MySQL makes (MySQL manual, "Creating SSL Certificates and Keys
 * Using MySQL"). The kind of key affects only the handshake.
 *
 * <p>The certificate is an X.509 certificate of version 3 (RFC 5280, section 4.1), encoded with DER (ITU-T X.690).
 */
public record SelfSignedCertificate(Path certificate, Path key) {

    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private static final Duration VALIDITY = Duration.ofDays(365);

    /** UTCTime, which RFC 5280 requires for dates up to 2049. */
    private static final DateTimeFormatter UTC_TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int UTC_TIME_TAG = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;

    private static final byte[] VERSION_3 = {2};

    /** 1.2.840.113549.1.1.11 without parameters: sha256WithRSAEncryption. */
    private static final byte[] SHA256_WITH_RSA = HexFormat.of().parseHex("300d06092a864886f70d01010b0500");

    /** 2.5.29.17: subjectAltName. */
    private static final byte[] SUBJECT_ALT_NAME = HexFormat.of().parseHex("0603551d11");

    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    /** Makes the files. */
    public static SelfSignedCertificate make(Path directory) throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            KeyPair keys = generator.generateKeyPair();
            byte[] content = content(keys.getPublic(), Instant.now());
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(keys.getPrivate());
            signature.update(content);
            byte[] certificate = der(SEQUENCE, content, SHA256_WITH_RSA, bits(signature.sign()));
            return new SelfSignedCertificate(
                    pem(directory.resolve("tls-cert.pem"), "CERTIFICATE", certificate),
                    pem(
                            directory.resolve("tls-key.pem"),
                            "PRIVATE KEY",
                            keys.getPrivate().getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java platform has RSA and SHA256withRSA", e);
        }
    }

    /** What is signed: a TBSCertificate. */
    private static byte[] content(PublicKey key, Instant now) {
        byte[] name = new X500Principal("CN=localhost").getEncoded();
        byte[] names = der(SEQUENCE, der(DNS_NAME, "localhost".getBytes(US_ASCII)), der(IP_ADDRESS, LOOPBACK));
        return der(
                SEQUENCE,
                der(VERSION, der(INTEGER, VERSION_3)),
                der(INTEGER, new BigInteger(64, new SecureRandom()).toByteArray()),
                SHA256_WITH_RSA,
                name, // of the issuer
                der(SEQUENCE, time(now), time(now.plus(VALIDITY))),
                name, // of the subject
                key.getEncoded(),
                der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, names)))));
    }

    private static byte[] time(Instant time) {
        return der(UTC_TIME_TAG, UTC_TIME.format(time).getBytes(US_ASCII));
    }

    /** A BIT STRING of whole bytes. */
    private static byte[] bits(byte[] bytes) {
        return der(BIT_STRING, new byte[] {0}, bytes);
    }

    /** A tag, the length of the contents (here below 64 KB), and the contents. */
    private static byte[] der(int tag, byte[]... contents) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : contents) {
            content.writeBytes(part);
        }
        int length = content.size();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(tag);
        if (length > 0xff) {
            all.write(0x82);
            all.write(length >> 8);
        } else if (length > 0x7f) {
            all.write(0x81);
        }
        all.write(length & 0xff);
        all.writeBytes(content.toByteArray());
        return all.toByteArray();
    }

    private static Path pem(Path file, String label, byte[] der) throws IOException {
        return Files.writeString(
                file, "-----BEGIN " + label + "-----\n" + PEM.encodeToString(der) + "\n-----END " + label + "-----\n");
    }
}
