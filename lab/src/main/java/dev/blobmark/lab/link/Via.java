package dev.blobmark.lab.link;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** What the connections of a trial pass through on their way to the server. A level of the factor {@code via}. */
public enum Via {
    /** Nothing of ours: what is between the client and the server's address. */
    DIRECT,
    /** An HAProxy on this machine, in TCP mode. */
    HAPROXY;

    public static final Factor<Via> FACTOR = Factor.ofWords(
            "via",
            Factor.Home.CONDITION,
            Set.of(),
            Set.of(Factor.Use.STORE),
            "what connections pass through to the server: nothing, or an HAProxy on this machine",
            Arrays.asList(values()),
            via -> via.name().toLowerCase(Locale.ROOT));
}
