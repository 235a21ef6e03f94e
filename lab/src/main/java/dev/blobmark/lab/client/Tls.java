package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;

/** Whether connections are encrypted. Always stated to the driver, whose own default would choose, and read back. */
public enum Tls {
    OFF,
    /** Encrypted; the server's identity is not verified. */
    ON;

    public static final Factor<Tls> FACTOR = Factor.ofWords(
            "tls",
            Factor.Home.CONDITION,
            "whether connections are encrypted",
            Arrays.asList(values()),
            t -> t.name().toLowerCase(Locale.ROOT));
}
