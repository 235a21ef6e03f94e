package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** How a statement reaches the server. */
public enum StatementProtocol {
    /** Prepared on the server, then executed by its number; rows arrive in binary form. */
    SERVER,
    /** Sent as text that contains the parameters; the server parses it each time. */
    TEXT;

    public static final Factor<StatementProtocol> FACTOR = Factor.ofWords(
            "statement",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SQL, Factor.Use.BLOCKING),
            "prepared on the server, or sent as text each time",
            Arrays.asList(values()),
            p -> p.name().toLowerCase(Locale.ROOT));
}
