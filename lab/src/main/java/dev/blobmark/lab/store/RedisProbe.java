package dev.blobmark.lab.store;

import dev.blobmark.lab.server.redis.RedisIdentity;
import java.util.Map;
import java.util.OptionalLong;
import redis.clients.jedis.Jedis;

/** Reads figures of a Redis, which has no pages and reports the CPU time of its process. */
record RedisProbe(Jedis jedis) implements ServerProbe {

    @Override
    public ProbedCounts counts() {
        return ProbedCounts.unknown("Redis has no pages");
    }

    @Override
    public OptionalLong waits() {
        return OptionalLong.empty();
    }

    @Override
    public OptionalLong cpuNanos() {
        Map<String, String> info = RedisIdentity.info(jedis);
        return OptionalLong.of(Math.round(
                (Double.parseDouble(info.get("used_cpu_user")) + Double.parseDouble(info.get("used_cpu_sys"))) * 1e9));
    }

    @Override
    public void close() {
        jedis.close();
    }
}
