package dev.blobmark.mysql.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * The certificates of encrypted connections, in PKCS #12 files, which both drivers read. The files are in a private
 * directory that is deleted with the server.
 *
 * @param trustStore certificates of the authorities that are trusted; if empty, Java's default
 * @param keyStore the client's key and certificate
 * @param password of both files; never printed
 */
public record TlsMaterial(Optional<String> trustStore, Optional<String> keyStore, String password) {

    /** Trusts Java's default authorities, and presents no certificate. */
    public static final TlsMaterial NONE = new TlsMaterial(Optional.empty(), Optional.empty(), "");

    /** Format of both files. */
    public static final String STORE_TYPE = "PKCS12";

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END", Pattern.DOTALL);

    /**
     * Converts the PEM files that MySQL's programs use.
     *
     * @param directory where the files for the drivers are written
     * @throws ServerException if a file is missing or has other contents
     */
    public static TlsMaterial make(Path directory, Optional<Path> ca, Optional<Path> certificate, Optional<Path> key)
            throws IOException {
        if (certificate.isPresent() != key.isPresent()) {
            throw new ServerException("ssl-cert and ssl-key must be given together: add the other one, or remove both");
        }
        if (ca.isEmpty() && key.isEmpty()) {
            return NONE;
        }
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        try {
            Optional<String> trusted = Optional.empty();
            if (ca.isPresent()) {
                KeyStore store = empty();
                int number = 0;
                for (Certificate authority : certificates(ca.get(), "ssl-ca")) {
                    store.setCertificateEntry("ca-" + number++, authority);
                }
                trusted = Optional.of(write(store, directory.resolve("trusted.p12"), password));
            }
            Optional<String> own = Optional.empty();
            if (key.isPresent()) {
                KeyStore store = empty();
                List<Certificate> chain = certificates(certificate.get(), "ssl-cert");
                store.setKeyEntry(
                        "client",
                        key(key.get(), chain.get(0).getPublicKey().getAlgorithm()),
                        password.toCharArray(),
                        chain.toArray(new Certificate[0]));
                own = Optional.of(write(store, directory.resolve("client.p12"), password));
            }
            return new TlsMaterial(trusted, own, password);
        } catch (GeneralSecurityException e) {
            throw new ServerException(
                    "cannot use the certificates of ssl-ca, ssl-cert and ssl-key: " + e.getMessage()
                            + ". Check that they are X.509 certificates and a key that Java supports.",
                    e);
        }
    }

    /**
     * The same as a TLS context of Java.
     *
     * @param verifies whether the server's certificate must be signed by a trusted authority
     */
    public SSLContext context(boolean verifies) throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyManagers(), verifies ? trustManagers() : new TrustManager[] {TRUSTING}, null);
        return context;
    }

    private TrustManager[] trustManagers() throws GeneralSecurityException, IOException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trustStore.isPresent() ? read(trustStore.get()) : null);
        return factory.getTrustManagers();
    }

    private KeyManager[] keyManagers() throws GeneralSecurityException, IOException {
        if (keyStore.isEmpty()) {
            return new KeyManager[0];
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(read(keyStore.get()), password.toCharArray());
        return factory.getKeyManagers();
    }

    private KeyStore read(String file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(STORE_TYPE);
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            store.load(in, password.toCharArray());
        }
        return store;
    }

    /** Accepts any certificate: {@code tls=on} only encrypts. */
    private static final X509TrustManager TRUSTING = new X509ExtendedTrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    };

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(STORE_TYPE);
        store.load(null, null);
        return store;
    }

    private static String write(KeyStore store, Path file, String password)
            throws GeneralSecurityException, IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, password.toCharArray());
        }
        return file.toAbsolutePath().toString();
    }

    private static List<Certificate> certificates(Path file, String option) {
        try {
            var found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
            if (!found.isEmpty()) {
                return List.copyOf(found);
            }
        } catch (IOException e) {
            throw new ServerException(option + ": cannot read " + file + ": " + e, e);
        } catch (GeneralSecurityException notCertificates) {
            // reported below
        }
        throw new ServerException(
                option + ": " + file + " contains no certificate; name a PEM file with -----BEGIN CERTIFICATE-----");
    }

    private static PrivateKey key(Path file, String algorithm) throws GeneralSecurityException {
        String pem;
        try {
            pem = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new ServerException("ssl-key: cannot read " + file + ": " + e, e);
        }
        Matcher found = KEY.matcher(pem);
        if (!found.find() || !found.group(1).isEmpty()) {
            throw new ServerException("ssl-key: " + file + " contains no unencrypted PKCS #8 key"
                    + " (-----BEGIN PRIVATE KEY-----); convert it with openssl pkcs8 -topk8 -nocrypt -in " + file
                    + " -out client-key-pkcs8.pem");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(found.group(2));
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
        } catch (InvalidKeySpecException e) {
            throw new ServerException(
                    "ssl-key: " + file + " is not the key of the certificate in ssl-cert; name the matching file", e);
        }
    }

    @Override
    public String toString() {
        return "trusting " + trustStore.orElse("Java's default authorities")
                + keyStore.map(own -> ", as " + own).orElse("");
    }
}
