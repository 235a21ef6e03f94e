package dev.blobmark.lab.store;

import dev.blobmark.lab.client.Connector;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import java.util.Optional;
import java.util.Set;

/** Sets in Redis or Valkey. */
public final class RedisStores implements StoreKind {

    private static final ServerProbe.ProbeSource PROBE =
            endpoints -> new RedisProbe(RedisIdentity.connect(endpoints.get(0)));

    /** The time per key was seen with Redis 6.2.11. */
    private static final StoreCosts COSTS = new StoreCosts(0.1, 150e6, 250e6, 4e-6, 0, 0, 512L << 20, false);

    @Override
    public String word() {
        return "redis";
    }

    @Override
    public String product() {
        return "Redis";
    }

    @Override
    public Set<Factor.Use> uses(Design design) {
        return Set.of(Factor.Use.REDIS);
    }

    @Override
    public boolean holdsValues() {
        return false;
    }

    @Override
    public boolean hasAsyncClient() {
        return true;
    }

    @Override
    public String ddl(String schema, String name, Design design) {
        return RedisSet.commands(RedisSet.SHOWN_PREFIX + name, design.get(Structure.FACTOR));
    }

    @Override
    public Optional<Dialect> dialect(String schema, Design design) {
        return Optional.empty();
    }

    @Override
    public Connector connector(String schema, Design design) {
        throw new UnsupportedOperationException("Redis does not speak SQL");
    }

    @Override
    public ServerProbe.ProbeSource probe(Design design) {
        return PROBE;
    }

    @Override
    public StoreCosts costs(Design design) {
        return COSTS;
    }
}
