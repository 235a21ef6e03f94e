package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** How a set lies in Redis. A level of the factor {@code structure}. */
public enum Structure {
    /** One set of members: SADD, SISMEMBER, SMISMEMBER. */
    SET,
    /** A key with an empty value for each: SET, EXISTS. */
    KEYS;

    public static final Factor<Structure> FACTOR = Factor.ofWords(
            "structure",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE, Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SET, Factor.Use.REDIS),
            "how a set lies in Redis: as one set, or as a key for each member",
            Arrays.asList(values()),
            structure -> structure.name().toLowerCase(Locale.ROOT));
}
