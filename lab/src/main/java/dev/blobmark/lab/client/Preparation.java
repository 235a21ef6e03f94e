package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** How long a prepared statement lives. A level of the factor {@code prepare}. */
public enum Preparation {
    /** As long as its connection, kept open from one operation to the next. */
    ONCE,
    /** Prepared and closed by each operation, with the driver's cache of statements on: it sends no request for either. */
    CACHED,
    /** The same without that cache. */
    EACH;

    public static final Factor<Preparation> FACTOR = Factor.ofWords(
            "prepare",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.READ, Factor.Use.SQL, Factor.Use.BLOCKING),
            "how often a statement is prepared: once, or by each operation with the driver's cache or without",
            Arrays.asList(values()),
            p -> p.name().toLowerCase(Locale.ROOT));

    /** What is wrong with a statement that would outlive the operation's use of its connection. */
    public static Optional<String> outliving(Design design) {
        ConnectionHandling handling = design.get(ConnectionHandling.FACTOR);
        Preparation preparation = design.get(FACTOR);
        return handling.isKept() || preparation == EACH || preparation == CACHED && handling.isPooled()
                ? Optional.empty()
                : Optional.of(
                        "connection is " + handling + ", which is given back after each operation, and its statements"
                                + " with it; set prepare to " + (handling.isPooled() ? "cached or each" : "each"));
    }
}
