package dev.blobmark.mysql.server;

import java.util.Arrays;
import java.util.Locale;

/** Encryption and verification of connections: the values of {@code mysql --ssl-mode}, from weakest to strongest. */
public enum SslMode {
    DISABLED,
    /** Encrypted if the server supports it; not verified. */
    PREFERRED,
    REQUIRED,
    /** Encrypted, and the server's certificate is signed by a trusted authority. */
    VERIFY_CA,
    /** In addition, the certificate is issued for the host that the client connects to. */
    VERIFY_IDENTITY;

    /**
     * Reads a mode in upper or lower case.
     *
     * @throws IllegalArgumentException if there is no such mode
     */
    public static SslMode parse(String word) {
        return Arrays.stream(values())
                .filter(mode -> mode.name().equals(word.toUpperCase(Locale.ROOT).replace('-', '_')))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown ssl-mode '" + word + "'; use one of " + Arrays.toString(values())));
    }

    public boolean isVerifying() {
        return compareTo(VERIFY_CA) >= 0;
    }
}
