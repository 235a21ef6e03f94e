package dev.blobmark.mysql.server.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.StatementProtocol;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.server.own.SelfSignedCertificate;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Another server answers, and asks for the password as it is. */
class ClearTextTest {

    private static final String PASSWORD = "bmpw";

    @TempDir
    private Path directory;

    @TempDir
    private static Path keys;

    private static TlsMaterial tls;
    private static Path certificate;

    @BeforeAll
    static void makeCertificate() throws Exception {
        SelfSignedCertificate made = SelfSignedCertificate.make(keys);
        certificate = made.certificate();
        tls = TlsMaterial.make(keys, Optional.empty(), Optional.of(certificate), Optional.of(made.key()));
    }

    private FalseServer server(String plugin) throws Exception {
        return new FalseServer(plugin, tls);
    }

    private void open(FalseServer server, Map<String, String> given) {
        ClientOptions client = new ClientOptions(given, Optional.empty(), directory, account -> Optional.of(PASSWORD));
        Servers.parse("mysql://app@127.0.0.1:" + server.port() + "/", client, List.of())
                .open(directory.resolve("cache"), ServerOptions.of(16 << 20))
                .close();
    }

    @ParameterizedTest
    @CsvSource({
        "mysql_clear_password, PREFERRED",
        "mysql_clear_password, REQUIRED",
        "dialog, PREFERRED",
        "dialog, REQUIRED"
    })
    void aServerThatHasNotProvedWhoItIsGetsNone(String plugin, String mode) throws Exception {
        try (FalseServer server = server(plugin)) {
            assertThatThrownBy(() -> open(server, Map.of("ssl-mode", mode)))
                    .isInstanceOf(ServerException.class)
                    .hasMessage("127.0.0.1:" + server.port() + " requests the password in clear text ("
                            + plugin + "), but is not verified: nothing was sent. Use --ssl-mode VERIFY_IDENTITY, with"
                            + " --ssl-ca if Java does not trust the signer of its certificate; or"
                            + " --enable-cleartext-plugin on a private network.");
            assertThat(server.heard()).contains("app").doesNotContain(PASSWORD);
        }
    }

    /** The option, or a certificate that was verified: else accounts of PAM and LDAP could not log in. */
    @Test
    void itIsSentWhereTheUserSaysSoOrTheServerIsVerified() throws Exception {
        for (Map<String, String> given : List.of(
                Map.of("enable-cleartext-plugin", "ON"),
                Map.of("ssl-mode", "VERIFY_IDENTITY", "ssl-ca", certificate.toString()))) {
            try (FalseServer server = server("mysql_clear_password")) {
                assertThatThrownBy(() -> open(server, given)).isInstanceOf(ServerException.class);
                assertThat(server.heard()).as("%s", given).contains(PASSWORD);
            }
        }
        Path options = Files.write(
                directory.resolve("options.cnf"),
                List.of("[client]", "enable_cleartext_plugin", "password=" + PASSWORD));
        Login login = Login.of(
                        ServerAddress.parse("mysql://app@127.0.0.1/"),
                        new ClientOptions(Map.of(), Optional.of(options), directory, account -> Optional.empty()))
                .get(0);
        assertThat(login.authentication().clearText()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql_clear_password", "dialog"})
    void noMeasuredConnectionSendsItEither(String plugin) throws Exception {
        try (FalseServer server = server(plugin)) {
            Endpoint endpoint =
                    new Endpoint("127.0.0.1", server.port(), "app", PASSWORD, SslMode.REQUIRED, TlsMaterial.NONE, true);
            for (Driver driver : Driver.values()) {
                assertThatThrownBy(() -> driver.connect(endpoint, "", Tls.ON, StatementProtocol.TEXT)
                                .close())
                        .isInstanceOf(SQLException.class);
            }
            EncodedValues keys = EncodedValues.of(
                    Datasets.parse("uuid:4").values(0, 42, 10), Codecs.parse("none"), directory, bytes -> {});
            Design levels = Design.of(Map.of("workload", "membership", "client", "async", "tls", "on"));
            assertThatThrownBy(() -> levels.get(Workload.FACTOR)
                            .openAsync(new Setup(levels, keys, endpoint, "blobmark", "t"), 1)
                            .close())
                    .hasMessageContaining("plugin");
            assertThat(server.heard()).contains("app").doesNotContain(PASSWORD);
        }
    }
}
