package dev.blobmark.mysql.server.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.SslMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an address, the command line and the option file say, and which of them wins. */
class ServerAddressTest {

    @TempDir
    private Path home;

    @ParameterizedTest
    @CsvSource({
        "mysql://app@db.example:3307/, db.example, 3307, app, ",
        "mysql://db, db, , , ",
        "mariadb://root@db/, db, , root, ",
        "mysql://me%40here@[2001:db8::1]:3306, 2001:db8::1, 3306, me@here, ",
        "mysql://a+b@db/, db, , a+b, ",
        "mysql:///, , , , ",
        "jdbc:mysql://db:3306/?user=app&sslMode=VERIFY_CA, db, 3306, app, VERIFY_CA",
        "jdbc:mariadb://db/?sslMode=verify-full, db, , , VERIFY_IDENTITY",
        "jdbc:mariadb://db/?sslMode=trust, db, , , REQUIRED"
    })
    void addressesAreTakenApart(String text, String host, Integer port, String user, SslMode mode) {
        assertThat(ServerAddress.isOne(text)).isTrue();
        assertThat(ServerAddress.parse(text))
                .isEqualTo(new ServerAddress(
                        List.of(new ServerAddress.HostPort(Optional.ofNullable(host), Optional.ofNullable(port))),
                        Optional.ofNullable(user),
                        Optional.ofNullable(mode)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mysql://app@a:3307,b:3308/                           | app@a:3307 app@b:3308 | PREFERRED",
                "mysql://app@a,b                                      | app@a:3310 app@b:3310 | PREFERRED",
                "jdbc:mysql://[2001:db8::1]:3307,[fe80::2],c/?user=app | app@2001:db8::1:3307 app@fe80::2:3310 app@c:3310 | PREFERRED",
                "jdbc:mariadb://a:1,b:2/?user=app&sslMode=verify-ca   | app@a:1 app@b:2       | VERIFY_CA"
            })
    void severalHostsAreEnteredWithOneLogin(String text, String accounts, SslMode mode) throws Exception {
        Files.write(home.resolve(".my.cnf"), List.of("[client]", "port=3310", "user=filed"));
        List<String> asked = new ArrayList<>();
        List<Login> logins =
                Login.of(ServerAddress.parse(text), new ClientOptions(Map.of(), Optional.empty(), home, account -> {
                    asked.add(account);
                    return Optional.of("hunter2");
                }));

        assertThat(logins)
                .extracting(Login::toString)
                .containsExactly(accounts.split(" "))
                .doesNotContain("hunter2");
        assertThat(logins)
                .allMatch(login -> login.password().equals("hunter2"))
                .allMatch(login -> login.sslMode() == mode);
        assertThat(asked).containsExactly(String.join(",", accounts.split(" app@")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://app:hunter2@db/",
                "mysql://app:hunter2@db:3306",
                "mysql://app:hun@ter2@db:3306",
                "jdbc:mysql://db:3306/?user=app&password=hunter2",
                "jdbc:mariadb://db/?PASSWORD=hunter2",
                "jdbc:mysql://app:hunter2@db/",
                "mysql://app:hunter2@a:3306,b:3306/",
                "mysql://app@a:3306,app:hunter2@b:3306/",
                "mysql://a,b/?password=hunter2"
            })
    void aPasswordIsRefusedAndNotRepeated(String text) {
        assertThatThrownBy(() -> Servers.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("a password in an address", "~/.my.cnf", "BLOBMARK_PASSWORD")
                .hasMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://db/                 | this is not the address of a server: write mysql://",
                "mysql://db:x/                         | this is not the address of a server: write mysql://",
                "mysql://a b/                          | this is not the address of a server: write mysql://",
                "mysql://db:99999/                     | port 99999",
                "mysql://a,b:99999/                    | port 99999",
                "mysql://a,,b/                         | a host of the address is empty: write mysql://",
                "mysql://a,:3307/                      | a host of the address is empty: write mysql://",
                "mysql://a:1,b:1,a:1/                  | a host of the address is named twice",
                "mysql://me@a:1,me@b:2/                | all SQL nodes have the same account: name it once",
                "mysql://a,b/shop                      | remove what follows the slash",
                "mysql://db/shop                       | remove what follows the slash",
                "jdbc:mysql://db/?useCompression=true  | remove 'useCompression'",
                "jdbc:mysql://db/?sslMode=SURE         | unknown ssl-mode 'SURE'; use one of [DISABLED, PREFERRED"
            })
    void whatIsNoAddressIsToldSo(String text, String words) {
        assertThatThrownBy(() -> Servers.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }

    private Login login(String address, Map<String, String> given, String... lines) throws Exception {
        Files.write(home.resolve(".my.cnf"), List.of(lines));
        return Login.of(
                        ServerAddress.parse(address),
                        new ClientOptions(given, Optional.empty(), home, account -> Optional.of("of " + account)))
                .get(0);
    }

    @Test
    void theAddressWinsOverTheCommandLineAndThatOverTheFile() throws Exception {
        String[] file = {
            "[mysqld]",
            "port=1",
            "[client]",
            "host=filed",
            "port=3310",
            "user=filed",
            "password=p1",
            "prompt=>",
            "[blobmark]",
            "ssl-mode=required",
            "ssl-ca=/filed.pem",
            "[mysql]",
            "password='p2'"
        };
        Login all = login("mysql:///", Map.of(), file);
        assertThat(all.toString()).isEqualTo("filed@filed:3310");
        assertThat(all.password()).isEqualTo("p2");
        assertThat(all.sslMode()).isEqualTo(SslMode.REQUIRED);
        assertThat(all.ca()).contains(Path.of("/filed.pem"));

        Login some = login(
                "mysql://me@here:3333/?sslMode=VERIFY_IDENTITY",
                Map.of("ssl-mode", "VERIFY_CA", "ssl-ca", "/given.pem"),
                file);
        assertThat(some.toString()).isEqualTo("me@here:3333");
        assertThat(some.sslMode()).isEqualTo(SslMode.VERIFY_IDENTITY);
        assertThat(some.ca()).contains(Path.of("/given.pem"));
        assertThat(login("mysql:///", Map.of("ssl-mode", "verify-ca"), file).sslMode())
                .isEqualTo(SslMode.VERIFY_CA);
    }

    @Test
    void aPasswordThatNoFileHasIsAskedForByTheAccount() throws Exception {
        assertThat(login("mysql://me@here/", Map.of(), "[client]", "password").password())
                .isEqualTo("of me@here:3306");
        assertThat(login("mysql://me@here/", Map.of(), "[client]", "skip-password")
                        .password())
                .isEmpty();
        Login none = login("mysql://here/", Map.of());
        assertThat(none.user()).isEqualTo(System.getProperty("user.name"));
        assertThat(none.sslMode()).isEqualTo(SslMode.PREFERRED);
        assertThat(none.authentication().keyRetrieval()).isFalse();
        assertThat(none.toString()).doesNotContain(none.password());
    }

    @Test
    void mariaDbsWordsForTlsAreUnderstood() throws Exception {
        assertThat(login("mysql:///", Map.of(), "[client]", "skip-ssl").sslMode())
                .isEqualTo(SslMode.DISABLED);
        assertThat(login("mysql:///", Map.of(), "[client]", "ssl").sslMode()).isEqualTo(SslMode.REQUIRED);
        assertThat(login("mysql:///", Map.of(), "[client]", "ssl_verify_server_cert")
                        .sslMode())
                .isEqualTo(SslMode.VERIFY_IDENTITY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "protocol=socket  | which the JDBC drivers do not support",
                "port=none        | a port is a number",
                "ssl-mode=SURE    | unknown ssl-mode 'SURE'",
                "ssl-crl=/crl.pem | Blobmark does not support ssl-crl"
            })
    void whatAFileSaysAndCannotBeIsRefused(String line, String words) {
        assertThatThrownBy(() -> login("mysql:///", Map.of(), "[client]", line))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining(words);
    }

    @Test
    void inBlobmarksOwnGroupEveryOptionIsKnown() {
        assertThatThrownBy(() -> login("mysql:///", Map.of(), "[blobmark]", "pasword=x"))
                .isInstanceOf(ServerException.class)
                .hasMessageContainingAll(home.resolve(".my.cnf") + ":2", "unknown option 'pasword'", "password, port");
    }

    @Test
    void optionsForARunningServerAreRefusedWithAnother() {
        ClientOptions options =
                new ClientOptions(Map.of("ssl-ca", "x"), Optional.of(Path.of("y")), home, account -> Optional.empty());
        assertThatThrownBy(() -> Servers.parse("embedded", options, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--ssl-ca, --defaults-file: this applies only to a running server");
    }
}
