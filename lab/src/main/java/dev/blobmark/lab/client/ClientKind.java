package dev.blobmark.lab.client;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Whether a client blocks one thread per operation in flight. A level of the factor {@code client}. */
public enum ClientKind {
    /** Each operation in flight has its own connection, and a thread that waits for the answer. */
    BLOCKING,
    /** All operations share one connection or a few. Answers are reported on a thread of the client library. */
    ASYNC;

    public static final Factor<ClientKind> FACTOR = Factor.ofWords(
            "client",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SET),
            "whether a client blocks a thread for each operation in flight: JDBC and Jedis, or R2DBC and Lettuce",
            Arrays.asList(values()),
            kind -> kind.name().toLowerCase(Locale.ROOT));

    /**
     * Why a trial cannot be measured: an asynchronous client opens its own sockets, which no emulated link can wrap.
     */
    public static Optional<String> notApplicable(Design design) {
        if (design.get(FACTOR) == ASYNC && design.get(Tls.FACTOR).mode().isVerifying()) {
            return Optional.of("not applicable: asynchronous clients do not verify the server's certificate, and tls="
                    + design.get(Tls.FACTOR) + " requires it; set tls to on");
        }
        return design.get(FACTOR) == ASYNC && design.get(Link.FACTOR).isEmulated()
                ? Optional.of(
                        "not applicable: asynchronous clients open their own sockets, and link="
                                + design.get(Link.FACTOR)
                                + " is emulated in Blobmark's; run 'blobmark link' in front of the server, and connect to its port")
                : Optional.empty();
    }
}
