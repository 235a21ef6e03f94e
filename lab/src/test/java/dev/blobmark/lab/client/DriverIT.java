package dev.blobmark.lab.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(OneServer.class)
class DriverIT {

    private final Endpoint endpoint;

    DriverIT(OwnServer server) {
        endpoint = server.endpoint();
    }

    static Stream<Arguments> combinations() {
        return Stream.of(Driver.values())
                .flatMap(driver -> Stream.of(Tls.values())
                        .flatMap(tls -> Stream.of(StatementProtocol.values())
                                .map(protocol -> Arguments.of(driver, tls, protocol))));
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void connectsByTheDriverTheEncryptionAndTheProtocolAskedFor(Driver driver, Tls tls, StatementProtocol protocol)
            throws Exception {
        try (Connection connection = driver.connect(endpoint, "", tls, protocol)) {
            assertThat(connection.getMetaData().getDriverName())
                    .contains(driver == Driver.MARIADB ? "MariaDB" : "MySQL");
            assertThat(JdbcDriver.status(connection, "Ssl_cipher").isEmpty()).isEqualTo(tls == Tls.OFF);
            assertThat(JdbcDriver.status(connection, "Compression")).isEqualTo("OFF");
            try (PreparedStatement select = connection.prepareStatement("SELECT ? + 1")) {
                select.setInt(1, 41);
                for (int i = 0; i < 5; i++) {
                    try (ResultSet row = select.executeQuery()) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getInt(1)).isEqualTo(42);
                    }
                }
            }
            // prepared once, executed five times; or never
            boolean prepares = protocol == StatementProtocol.SERVER;
            assertThat(JdbcDriver.status(connection, "Com_stmt_prepare")).isEqualTo(prepares ? "1" : "0");
            assertThat(JdbcDriver.status(connection, "Com_stmt_execute")).isEqualTo(prepares ? "5" : "0");
        }
    }

    @ParameterizedTest
    @EnumSource(Driver.class)
    void passwordsAreInNoUrlAndNoMessage(Driver driver) {
        Endpoint wrong = new Endpoint(endpoint.host(), endpoint.port(), endpoint.user(), "hunter2");

        assertThat(driver.jdbc().url(wrong, "s")).doesNotContain("hunter2");
        assertThatThrownBy(() -> driver.connect(wrong, "", Tls.OFF, StatementProtocol.TEXT)
                        .close())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Access denied")
                .hasMessageNotContaining("hunter2");
    }

    /**
     * A server that hangs, or that the network no longer reaches, is given up. What is measured has no limit that a
     * study has not.
     */
    @Test
    void whatIsNotMeasuredDoesNotWaitForEver() throws Exception {
        try (Connection loading = JdbcDriver.connectForLoading(endpoint, "");
                Connection watching = JdbcDriver.connectToWatch(endpoint);
                Statement statement = watching.createStatement()) {
            assertThat(loading.getNetworkTimeout()).isEqualTo(300_000);
            assertThat(watching.getNetworkTimeout()).isEqualTo(5_000);
            assertThatThrownBy(() -> statement.execute("DO SLEEP(120)")).isInstanceOf(SQLException.class);
            assertThat(watching.isValid(1)).isFalse();
        }
        for (Driver driver : Driver.values()) {
            try (Connection asking = driver.jdbc().connectToAsk(endpoint);
                    Connection measured = driver.connect(endpoint, "", Tls.OFF, StatementProtocol.TEXT)) {
                assertThat(asking.getNetworkTimeout()).isEqualTo(10_000);
                assertThat(measured.getNetworkTimeout()).isZero();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Driver.class)
    void versionsAreTheDriversOwn(Driver driver) {
        assertThat(driver.jdbc().version()).matches("[0-9]+\\.[0-9]+.*");
    }

    @ParameterizedTest
    @EnumSource(Driver.class)
    void levelsAreWords(Driver driver) {
        assertThat(List.of("connector-j", "mariadb")).contains(driver.toString());
        assertThat(Driver.FACTOR.parse(driver.toString())).isEqualTo(driver);
    }
}
