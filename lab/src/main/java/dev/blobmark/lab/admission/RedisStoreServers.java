package dev.blobmark.lab.admission;

import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.mysql.admission.Alarm;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Redis as a kind of store. */
public final class RedisStoreServers implements StoreServers {

    /** The variable that Redis' own client uses. */
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
    public ServerSource<Opened> embedded() {
        return source(RedisServers.EMBEDDED);
    }

    @Override
    public List<String> variables() {
        return List.of(PASSWORD);
    }

    @Override
    public ServerSource<Opened> parse(String text, List<Path> searchPath, Map<String, String> variables) {
        return source(RedisServers.parse(text, Optional.ofNullable(variables.get(PASSWORD)), searchPath));
    }

    /** The source of a run's sessions on a Redis. */
    public static ServerSource<Opened> source(ServerSource<RedisServer> redis) {
        return redis.map(OpenedRedis::new);
    }

    private record OpenedRedis(RedisServer server) implements Opened {

        @Override
        public StoreSession begin(String run, Alarm alarm) {
            return RedisSession.begin(server, run, alarm);
        }

        @Override
        public Optional<Leftover> leftover() {
            return RedisSession.leftover(server.endpoint());
        }
    }
}
