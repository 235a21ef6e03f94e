package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.server.SslMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/**
 * Whether connections are encrypted. Always set explicitly, since drivers have defaults of their own, and read back.
 */
public enum Tls {
    OFF(SslMode.DISABLED),
    /** Encrypted; the server's identity is not verified. */
    ON(SslMode.REQUIRED),
    /** Encrypted; the server's certificate is signed by a trusted authority. */
    VERIFY_CA(SslMode.VERIFY_CA),
    /** Like {@link #VERIFY_CA}, and the certificate names the requested host. */
    VERIFY_IDENTITY(SslMode.VERIFY_IDENTITY);

    public static final Factor<Tls> FACTOR = Factor.ofWords(
            "tls",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.STORE),
            "whether connections are encrypted, and whether the server's certificate is verified",
            Arrays.asList(values()),
            Tls::toString);

    private final SslMode mode;

    Tls(SslMode mode) {
        this.mode = mode;
    }

    /** The equivalent {@code --ssl-mode} of the {@code mysql} client. */
    public SslMode mode() {
        return mode;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
