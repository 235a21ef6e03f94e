package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** How a set is stored in Redis. A level of the factor {@code structure}. */
public enum Structure {
    /** A Redis set: SADD, SISMEMBER, SMISMEMBER. */
    SET,
    /** One key with an empty value per member: SET, EXISTS. */
    KEYS;

    public static final Factor<Structure> FACTOR = Factor.ofWords(
            "structure",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE, Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.SET, Factor.Use.REDIS),
            "how a set is stored in Redis: as one set, or as a key per member",
            Arrays.asList(values()),
            structure -> structure.name().toLowerCase(Locale.ROOT));
}
