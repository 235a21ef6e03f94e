package dev.blobmark.lab.server.own;

import dev.blobmark.lab.machine.Subprocess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A key and its certificate, in PEM files for a server. The JDK's keytool makes them in a second. MariaDB 11.4 would
 * make an RSA key of 4096 bits at each start, which takes 7 to 10 s.
 *
 * <p>The key is RSA with 2048 bits, like those that MySQL makes (MySQL manual, "Creating SSL Certificates and Keys
 * Using MySQL"). The kind of key affects only the handshake.
 */
public record SelfSignedCertificate(Path certificate, Path key) {

    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});

    /** Makes the files; empty if this Java runtime has no keytool. */
    public static Optional<SelfSignedCertificate> make(Path directory) throws IOException, InterruptedException {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        if (!Files.isExecutable(keytool)) {
            return Optional.empty();
        }
        Path store = directory.resolve("tls.p12");
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        ProcessBuilder builder = Subprocess.of(List.of(
                        keytool.toString(),
                        "-J-XX:-UsePerfData",
                        // it ends before the optimizing compiler's code is worth its time
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-XX:+UseSerialGC",
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "RSA",
                        "-keysize",
                        "2048",
                        "-validity",
                        "365",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass:env",
                        "STORE_PASSWORD"))
                .redirectErrorStream(true);
        builder.environment().put("STORE_PASSWORD", password);
        Process process = builder.start();
        process.getOutputStream().close();
        String output;
        try (InputStream out = process.getInputStream()) {
            output = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
        if (process.waitFor() != 0) {
            throw new IOException(keytool + " made no certificate: " + output);
        }
        try {
            KeyStore keys = KeyStore.getInstance(store.toFile(), password.toCharArray());
            return Optional.of(new SelfSignedCertificate(
                    pem(
                            directory.resolve("tls-cert.pem"),
                            "CERTIFICATE",
                            keys.getCertificate("server").getEncoded()),
                    pem(
                            directory.resolve("tls-key.pem"),
                            "PRIVATE KEY",
                            keys.getKey("server", password.toCharArray()).getEncoded())));
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot read the certificate that " + keytool + " made: " + e, e);
        }
    }

    private static Path pem(Path file, String label, byte[] der) throws IOException {
        return Files.writeString(
                file, "-----BEGIN " + label + "-----\n" + PEM.encodeToString(der) + "\n-----END " + label + "-----\n");
    }
}
