package dev.blobmark.lab.client;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Whether a client blocks a thread for each operation in flight. A level of the factor {@code client}. */
public enum ClientKind {
    /** A connection for each operation in flight, and a thread that waits for its answer. */
    BLOCKING,
    /** One connection for all of them, or a few; answers are told on a thread of the client's. */
    ASYNC;

    public static final Factor<ClientKind> FACTOR = Factor.ofWords(
            "client",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SET),
            "whether a client blocks a thread for each operation in flight: JDBC and Jedis, or R2DBC and Lettuce",
            Arrays.asList(values()),
            kind -> kind.name().toLowerCase(Locale.ROOT));

    /** Why a trial cannot be measured: a client that makes its own sockets does not go over an emulated link. */
    public static Optional<String> notApplicable(Design design) {
        if (design.get(FACTOR) == ASYNC && design.get(Tls.FACTOR).mode().isVerifying()) {
            return Optional.of(
                    "not applicable: asynchronous clients are encrypted without verifying the server, and tls="
                            + design.get(Tls.FACTOR) + "; set tls to on");
        }
        return design.get(FACTOR) == ASYNC && design.get(Link.FACTOR).isEmulated()
                ? Optional.of("not applicable: asynchronous clients take no sockets of ours, and link="
                        + design.get(Link.FACTOR)
                        + " is emulated in sockets; run 'blobmark link' before the server instead, and name its port")
                : Optional.empty();
    }
}
