package dev.blobmark.lab.client;

import dev.blobmark.lab.server.SslMode;
import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** Whether connections are encrypted. Always stated to the driver, whose own default would choose, and read back. */
public enum Tls {
    OFF(SslMode.DISABLED),
    /** Encrypted; the server's identity is not verified. */
    ON(SslMode.REQUIRED),
    /** Encrypted; the server's certificate is signed by somebody who is trusted. */
    VERIFY_CA(SslMode.VERIFY_CA),
    /** And was made out to the host that was asked for. */
    VERIFY_IDENTITY(SslMode.VERIFY_IDENTITY);

    public static final Factor<Tls> FACTOR = Factor.ofWords(
            "tls",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.STORE),
            "whether connections are encrypted, and the server's certificate verified",
            Arrays.asList(values()),
            Tls::toString);

    private final SslMode mode;

    Tls(SslMode mode) {
        this.mode = mode;
    }

    /** The same by the words of the {@code mysql} client. */
    public SslMode mode() {
        return mode;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
