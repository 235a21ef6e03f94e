package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** What kind of server holds the values. A level of the factor {@code store}. */
public enum StoreKind {
    /** MySQL or MariaDB. */
    MYSQL,
    /** Redis or Valkey. */
    REDIS;

    public static final Factor<StoreKind> FACTOR = Factor.ofWords(
            "store",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE, Factor.Shape.CODE_PATH),
            "what kind of server holds the values",
            Arrays.asList(values()),
            StoreKind::word);

    /** As studies spell it; also the name of its server in a manifest. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
