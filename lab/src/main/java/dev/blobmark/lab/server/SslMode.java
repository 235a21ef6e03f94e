package dev.blobmark.lab.server;

import java.util.Arrays;
import java.util.Locale;

/** Whether connections are encrypted and whom they trust, by the words and in the order of {@code mysql --ssl-mode}. */
public enum SslMode {
    DISABLED,
    /** Encrypted if the server can; not verified. */
    PREFERRED,
    REQUIRED,
    /** The server's certificate is signed by somebody who is trusted. */
    VERIFY_CA,
    /** And was made out to the host that was asked for. */
    VERIFY_IDENTITY;

    /**
     * Reads the word in either case.
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
