package dev.blobmark.lab.server.own;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SelfSignedCertificateTest {

    @TempDir
    private Path directory;

    @Test
    void theCertificateIsForLocalhostAndSignedByItsOwnKey() throws Exception {
        SelfSignedCertificate made = SelfSignedCertificate.make(directory);

        X509Certificate certificate;
        try (InputStream pem = Files.newInputStream(made.certificate())) {
            certificate =
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
        certificate.verify(certificate.getPublicKey());
        assertThat(certificate.getVersion()).isEqualTo(3);
        assertThat(certificate.getSigAlgName()).isEqualTo("SHA256withRSA");
        assertThat(certificate.getSerialNumber()).isNotNegative();
        assertThat(certificate.getIssuerX500Principal()).isEqualTo(certificate.getSubjectX500Principal());
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=localhost");
        assertThat(certificate.getSubjectAlternativeNames())
                .containsExactlyInAnyOrder(List.of(2, "localhost"), List.of(7, "127.0.0.1"));
        certificate.checkValidity();
        certificate.checkValidity(Date.from(Instant.now().plus(Duration.ofDays(364))));
        assertThat(certificate.getNotAfter()).isBefore(Instant.now().plus(Duration.ofDays(366)));
        assertThat(publicKey(made.key())).isEqualTo(certificate.getPublicKey());
    }

    /** That of the private key in the file. */
    private static PublicKey publicKey(Path file) throws Exception {
        KeyFactory rsa = KeyFactory.getInstance("RSA");
        byte[] der = Base64.getMimeDecoder()
                .decode(Files.readString(file).replaceAll("-----(BEGIN|END) PRIVATE KEY-----", ""));
        RSAPrivateCrtKey key = (RSAPrivateCrtKey) rsa.generatePrivate(new PKCS8EncodedKeySpec(der));
        assertThat(key.getModulus().bitLength()).isEqualTo(2048);
        return rsa.generatePublic(new RSAPublicKeySpec(key.getModulus(), key.getPublicExponent()));
    }
}
