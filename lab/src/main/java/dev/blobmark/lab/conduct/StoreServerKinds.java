package dev.blobmark.lab.conduct;

import dev.blobmark.lab.admission.RedisStoreServers;
import dev.blobmark.lab.admission.StoreServers;
import dev.blobmark.lab.admission.postgres.PostgresStoreServers;
import java.util.List;

/** The kinds of servers that hold stores, other than MySQL. */
public final class StoreServerKinds {

    /** All kinds. A new kind is a new line here. */
    public static final List<StoreServers> ALL = List.of(new RedisStoreServers(), new PostgresStoreServers());

    private StoreServerKinds() {}
}
