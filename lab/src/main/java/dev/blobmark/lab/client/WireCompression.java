package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Whether the protocol compresses what goes over the wire. Always stated to the driver, and read back. Neither driver lets the
 * level of zlib be chosen; both take the JDK's default, the server its own.
 */
public enum WireCompression {
    OFF,
    /** Packets from 50 bytes on are compressed, each for itself, where that makes them smaller. */
    ZLIB;

    public static final Factor<WireCompression> FACTOR = Factor.ofWords(
            "wire-compression",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SQL, Factor.Use.MYSQL, Factor.Use.BLOCKING),
            "whether the protocol compresses",
            Arrays.asList(values()),
            WireCompression::word);

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads back what client and server have agreed on.
     *
     * @throws UnavailableException if the server does not allow it
     * @throws SQLException if it is not what was asked for
     */
    void verify(Connection connection) throws SQLException {
        // older servers and MariaDB tell no algorithm: they know one
        String algorithm = Driver.status(connection, "Compression_algorithm");
        String agreed = !Driver.status(connection, "Compression").equals("ON")
                ? OFF.word()
                : algorithm.isEmpty() ? ZLIB.word() : algorithm;
        if (agreed.equals(word())) {
            return;
        }
        String allowed = Driver.variable(connection, "protocol_compression_algorithms");
        if (!allowed.isEmpty() && !List.of(allowed.split(",")).contains(word())) {
            throw new UnavailableException("the server's protocol_compression_algorithms is '" + allowed
                    + "'; wire-compression '" + word() + "' takes one that has it among them");
        }
        throw new SQLException(
                "wire-compression is '" + word() + "' by the study, but the connection's is '" + agreed + "'");
    }
}
