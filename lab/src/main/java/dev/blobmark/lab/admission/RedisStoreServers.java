package dev.blobmark.lab.admission;

import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.server.own.Launch;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Servers of Redis. */
public final class RedisStoreServers implements StoreServers {

    /** The variable of Redis' own client. */
    private static final String PASSWORD = "REDISCLI_AUTH";

    @Override
    public StoreKind kind() {
        return StoreKinds.REDIS;
    }

    @Override
    public String forms() {
        return RedisServers.FORMS;
    }

    @Override
    public Source embedded() {
        return source(RedisServers.EMBEDDED_ONE);
    }

    @Override
    public List<String> variables() {
        return List.of(PASSWORD);
    }

    @Override
    public Source parse(String text, List<Path> searchPath, Map<String, String> variables) {
        return source(RedisServers.parse(text, Optional.ofNullable(variables.get(PASSWORD)), searchPath));
    }

    public static Source source(RedisServers.Source redis) {
        return new Source() {
            @Override
            public boolean isRunning() {
                return redis.isRunning();
            }

            @Override
            public Optional<String> lacking(boolean encrypted) {
                return redis.lacking(encrypted);
            }

            @Override
            public Opened open(Path cache, Environment environment, Launch launch) {
                return new OpenedRedis(redis.open(cache, launch.prefix()));
            }
        };
    }

    private record OpenedRedis(RedisServer server) implements Opened {

        @Override
        public StoreSession begin(String run, Alarm alarm) {
            return RedisSession.begin(server, run, alarm);
        }

        @Override
        public Optional<Leftover> leftover() {
            return RedisSession.leftover(server.endpoint()).map(found -> new LeftKeys(server, found));
        }
    }

    private record LeftKeys(RedisServer server, RedisSession.Leftover found) implements Leftover {

        @Override
        public String run() {
            return found.run();
        }

        @Override
        public boolean isAlive() {
            return found.isAlive();
        }

        @Override
        public String description() {
            return found.keys() + " keys " + found.pattern();
        }

        @Override
        public String remove() {
            return RedisSession.remove(server.endpoint(), found) + " keys";
        }
    }
}
