package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** Who decodes a stored value. A level of the factor {@code decode}. */
public enum Decode {
    APPLICATION,
    /** By {@code UNCOMPRESS(data)}, for the codec {@code mysql} only. */
    SERVER;

    public static final Factor<Decode> FACTOR = Factor.ofWords(
            "decode",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.READ, Factor.Use.VALUES, Factor.Use.MYSQL),
            "who decodes: the application, or the server by UNCOMPRESS()",
            Arrays.asList(values()),
            d -> d.name().toLowerCase(Locale.ROOT));
}
