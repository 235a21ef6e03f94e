package dev.blobmark.lab.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.UnavailableException;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Bytes on the wire, held against what the server itself has counted. */
abstract class TrafficContract {

    private static final int OPERATIONS = 50;
    private static final int VALUE_BYTES = 20_000;

    abstract Endpoint endpoint();

    static Stream<Map<String, String>> ways() {
        return Stream.of("connector-j", "mariadb")
                .flatMap(driver -> Stream.of("server", "text")
                        .flatMap(statement -> Stream.of("off", "zlib")
                                .flatMap(compression -> Stream.of("off", "on")
                                        .map(tls -> Map.of(
                                                "driver", driver,
                                                "statement", statement,
                                                "wire-compression", compression,
                                                "tls", tls)))));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theServerHasCountedTheSame(Map<String, String> way) throws Exception {
        Design levels = Design.of(way);
        Traffic traffic = new Traffic();
        try (Connection connection = new MySqlConnector("", levels).connect(endpoint(), traffic);
                PreparedStatement echo = connection.prepareStatement("SELECT CONCAT(?, REPEAT('x', ?))")) {
            boolean compresses = levels.get(WireCompression.FACTOR) == WireCompression.ZLIB;
            assertThat(JdbcDriver.status(connection, "Compression")).isEqualTo(compresses ? "ON" : "OFF");
            echo(echo);

            // the server's answer about what it sent is not among that, the question about what it received is
            long in = traffic.bytesIn();
            long sent = count(connection, "Bytes_sent");
            long received = count(connection, "Bytes_received");
            long out = traffic.bytesOut();
            long inBefore = traffic.bytesIn();
            for (int i = 0; i < OPERATIONS; i++) {
                echo(echo);
            }
            long operationsIn = traffic.bytesIn() - inBefore;
            long operationsOut = traffic.bytesOut() - out;
            in = traffic.bytesIn() - in;
            sent = count(connection, "Bytes_sent") - sent;
            received = count(connection, "Bytes_received") - received;
            out = traffic.bytesOut() - out;

            if (levels.get(Tls.FACTOR) == Tls.OFF) {
                assertThat(in).isEqualTo(sent);
                assertThat(out).isEqualTo(received);
            } else {
                // the server counts what it encrypts; a record of TLS 1.3 adds 22 bytes to at most 16 KB
                assertThat(in - sent).isBetween(22L, sent / 10 + 4 * 22 * OPERATIONS);
                assertThat(out - received).isBetween(22L, received / 10 + 4 * 22 * OPERATIONS);
            }
            // hardly anything where it compresses: it is one letter
            long values = (long) OPERATIONS * VALUE_BYTES;
            if (compresses) {
                assertThat(operationsIn).isBetween(OPERATIONS * 50L, values / 20);
                assertThat(operationsOut).isBetween(OPERATIONS * 50L, values / 20);
            } else {
                assertThat(operationsIn).isBetween(2 * values, 2 * values + values / 10);
                assertThat(operationsOut).isBetween(values, values + values / 10);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Driver.class)
    void compressionOtherThanAskedForIsAnError(Driver driver) throws Exception {
        try (Connection plain = driver.connect(endpoint(), "", Tls.OFF, StatementProtocol.TEXT)) {
            WireCompression.OFF.verify(plain);
            assertThatThrownBy(() -> WireCompression.ZLIB.verify(plain))
                    .isInstanceOf(SQLException.class)
                    .isNotInstanceOf(UnavailableException.class)
                    .hasMessage("wire-compression is 'zlib' by the study, but the connection's is 'off'");
        }
    }

    private static void echo(PreparedStatement echo) throws SQLException {
        echo.setString(1, "x".repeat(VALUE_BYTES));
        echo.setInt(2, VALUE_BYTES);
        try (ResultSet row = echo.executeQuery()) {
            assertThat(row.next()).isTrue();
            assertThat(row.getBytes(1)).hasSize(2 * VALUE_BYTES);
        }
    }

    private static long count(Connection connection, String variable) throws SQLException {
        return Long.parseLong(JdbcDriver.status(connection, variable));
    }
}
