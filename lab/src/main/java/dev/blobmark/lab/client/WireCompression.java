package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.UnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Whether the protocol compresses its packets. Always set explicitly in the driver, and read back. The level of zlib
 * cannot be chosen: both drivers use the JDK's default, and the server uses its own.
 */
public enum WireCompression {
    OFF,
    /** Each packet of 50 bytes or more is compressed separately if that makes it smaller. */
    ZLIB;

    public static final Factor<WireCompression> FACTOR = Factor.ofWords(
            "wire-compression",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SQL, Factor.Use.MYSQL, Factor.Use.BLOCKING),
            "whether the protocol compresses its packets",
            Arrays.asList(values()),
            WireCompression::word);

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Verifies the compression that client and server negotiated.
     *
     * @throws UnavailableException if the server does not allow the requested one
     * @throws SQLException if another one is in effect
     */
    void verify(Connection connection) throws SQLException {
        // older servers and MariaDB report no algorithm: they have only zlib
        String algorithm = JdbcDriver.status(connection, "Compression_algorithm");
        String negotiated = !JdbcDriver.status(connection, "Compression").equals("ON")
                ? OFF.word()
                : algorithm.isEmpty() ? ZLIB.word() : algorithm;
        if (negotiated.equals(word())) {
            return;
        }
        String allowed = JdbcDriver.variable(connection, "protocol_compression_algorithms");
        if (!allowed.isEmpty() && !List.of(allowed.split(",")).contains(word())) {
            throw new UnavailableException("the server's protocol_compression_algorithms is '" + allowed
                    + "', and wire-compression is '" + word() + "'; add it to that variable");
        }
        throw new SQLException(
                "wire-compression is '" + word() + "' by the study, but the connection's is '" + negotiated + "'");
    }
}
