package dev.blobmark.lab.store.kind;

import dev.blobmark.lab.store.MySqlStores;
import dev.blobmark.lab.store.RedisStores;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.postgres.PostgresStores;
import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Set;

/** The kinds of stores. */
public final class StoreKinds {

    /** The default. Every run that uses a store also uses this server. */
    public static final StoreKind MYSQL = new MySqlStores();

    public static final StoreKind REDIS = new RedisStores();

    public static final StoreKind POSTGRESQL = new PostgresStores();

    /** All kinds. To add one, add a line. */
    public static final List<StoreKind> ALL = List.of(MYSQL, REDIS, POSTGRESQL);

    public static final Factor<StoreKind> FACTOR = Factor.ofWords(
            "store",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE, Factor.Shape.CODE_PATH),
            Set.of(Factor.Use.STORE),
            "what kind of server holds the values",
            ALL,
            StoreKind::word);

    private StoreKinds() {}
}
