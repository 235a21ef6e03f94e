package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** How long a prepared statement lives. A level of the factor {@code prepare}. */
public enum Preparation {
    /** As long as its connection: it stays open from one operation to the next. */
    ONCE,
    /** Each operation prepares and closes it; with the driver's statement cache, neither sends a request. */
    CACHED,
    /** Each operation prepares and closes it, without a cache. */
    EACH;

    public static final Factor<Preparation> FACTOR = Factor.ofWords(
            "prepare",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.READ, Factor.Use.SQL, Factor.Use.BLOCKING),
            "how often a statement is prepared: once, or by each operation, with or without the driver's cache",
            Arrays.asList(values()),
            p -> p.name().toLowerCase(Locale.ROOT));

    /** The problem of a statement that would outlive its operation's use of the connection; empty if there is none. */
    public static Optional<String> problem(Design design) {
        ConnectionHandling handling = design.get(ConnectionHandling.FACTOR);
        Preparation preparation = design.get(FACTOR);
        return handling.isKept() || preparation == EACH || preparation == CACHED && handling.isPooled()
                ? Optional.empty()
                : Optional.of("connection=" + handling
                        + " gives the connection up after each operation, and its prepared"
                        + " statements with it; set prepare to " + (handling.isPooled() ? "cached or each" : "each"));
    }
}
