package dev.blobmark.lab.guest;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.RedisIdentity;
import dev.blobmark.lab.server.RedisServer;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.lab.store.Structure;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * A run's stay on a Redis. All that it stores has names that begin with {@value #PREFIX}, and is removed when the run ends; nothing else is
 * touched, and no setting is changed. Confined to the thread of the run.
 */
public final class RedisVisit implements AutoCloseable {

    /** What is Blobmark's in a Redis. Short, as it is part of each key where a set lies in keys. */
    public static final String PREFIX = "blobmark:";

    private static final String OWNER = PREFIX + "run";
    private static final int SCANNED = 1_000;

    private final RedisServer server;
    private final String run;
    private final Map<String, Loaded> sets = new HashMap<>();
    private Jedis jedis;

    /** What was loaded, to be loaded again. */
    private record Loaded(EncodedValues keys, Structure structure, LoadOrder order) {}

    private RedisVisit(RedisServer server, String run, Jedis jedis) {
        this.server = server;
        this.run = run;
        this.jedis = jedis;
        jedis.clientSetname(connectionName(run));
    }

    /** By which others see that a run is still at work; Redis takes no spaces in it. */
    private static String connectionName(String run) {
        return "blobmark-" + run.replaceAll("[^!-~]", "-");
    }

    private static boolean isAtWork(Jedis jedis, String run) {
        return jedis.clientList().lines().anyMatch(client -> client.contains(" name=" + connectionName(run) + " "));
    }

    /**
     * Checks the server and marks it as visited.
     *
     * @param run the name of the run
     * @throws GuestException if the run cannot be let in; nothing has been written then
     */
    public static RedisVisit begin(RedisServer server, String run) {
        Jedis jedis = connect(server.endpoint());
        try {
            Map<String, String> info = RedisIdentity.info(jedis);
            if (!info.getOrDefault("role", "master").equals("master")) {
                throw new GuestException("the Redis " + server.endpoint().authority()
                        + " is a replica, which takes no keys; name its master");
            }
            if (jedis.set(OWNER, run, SetParams.setParams().nx()) == null) {
                String other = jedis.get(OWNER);
                throw new GuestException("the Redis " + server.endpoint().authority() + " has keys of run " + other
                        + (isAtWork(jedis, other)
                                ? ", which is still at work: wait for its end"
                                : ", which was killed: remove them by 'blobmark cleanup --server redis=…'"));
            }
            return new RedisVisit(server, run, jedis);
        } catch (JedisException e) {
            jedis.close();
            throw new GuestException("the Redis " + server.endpoint().authority() + " refuses: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            jedis.close();
            throw e;
        }
    }

    private static Jedis connect(Endpoint endpoint) {
        try {
            Jedis jedis = RedisIdentity.connect(endpoint);
            jedis.ping();
            return jedis;
        } catch (JedisException e) {
            throw new ServerException("the Redis " + endpoint.authority() + " does not answer: " + e.getMessage(), e);
        }
    }

    public RedisServer server() {
        return server;
    }

    /**
     * Loads a set and reads it back.
     *
     * @param name without the prefix
     * @param loaded is told the bytes of keys loaded since its last call
     * @return by how many bytes the server's data has grown in memory
     * @throws dev.blobmark.lab.store.WrongValueException if what is there is not what was loaded
     */
    public OptionalLong load(
            String name, Structure structure, LoadOrder order, EncodedValues keys, LongConsumer loaded) {
        RedisSet set = set(name, structure);
        long before = RedisSet.memoryBytes(jedis);
        set.load(keys, order, loaded);
        long after = RedisSet.memoryBytes(jedis);
        set.readBack(keys);
        sets.put(name, new Loaded(keys, structure, order));
        return after > before ? OptionalLong.of(after - before) : OptionalLong.empty();
    }

    private RedisSet set(String name, Structure structure) {
        return new RedisSet(jedis, PREFIX + name, structure);
    }

    /**
     * Loads a set once more if the server has lost it, as it does when it is started again.
     *
     * @return whether it had to be
     * @throws ServerException if the server does not answer
     */
    public boolean restore(String name) {
        Loaded its = sets.get(name);
        boolean isWhole;
        try {
            isWhole = set(name, its.structure).isWhole(its.keys);
        } catch (JedisException gone) {
            // the server, or only the connection: some close those that say nothing for long
            jedis.close();
            server.restart();
            jedis = connect(server.endpoint());
            jedis.clientSetname(connectionName(run));
            jedis.set(OWNER, run);
            isWhole = set(name, its.structure).isWhole(its.keys);
        }
        if (isWhole) {
            return false;
        }
        set(name, its.structure).drop(its.keys);
        load(name, its.structure, its.order, its.keys, bytes -> {});
        return true;
    }

    /** Whether the server answers. */
    public boolean isAlive() {
        try (Jedis asking = RedisIdentity.connect(server.endpoint())) {
            asking.ping();
            return true;
        } catch (JedisException e) {
            return false;
        }
    }

    /** Removes a set. */
    public void drop(String name) {
        Loaded its = sets.remove(name);
        if (its != null) {
            set(name, its.structure).drop(its.keys);
        }
    }

    /**
     * What a run has left on a Redis, or has there as it is still at work.
     *
     * @param run its name
     */
    public record Leftover(String run, boolean isAlive) {}

    /** What runs have left there; empty where nothing is. */
    public static Optional<Leftover> leftover(Endpoint endpoint) {
        try (Jedis jedis = connect(endpoint)) {
            return Optional.ofNullable(jedis.get(OWNER)).map(run -> new Leftover(run, isAtWork(jedis, run)));
        }
    }

    /** Removes all that carries the prefix, whoever made it; how many keys that were. */
    public static long removeAll(Endpoint endpoint) {
        long removed = 0;
        try (Jedis jedis = connect(endpoint)) {
            ScanParams ours = new ScanParams().match(PREFIX + "*").count(SCANNED);
            String cursor = ScanParams.SCAN_POINTER_START;
            do {
                ScanResult<byte[]> found = jedis.scan(RedisSet.bytes(cursor), ours);
                if (!found.getResult().isEmpty()) {
                    removed += jedis.unlink(found.getResult().toArray(byte[][]::new));
                }
                cursor = found.getCursor();
            } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        }
        return removed;
    }

    @Override
    public void close() {
        try {
            sets.forEach((name, its) -> set(name, its.structure).drop(its.keys));
            jedis.del(OWNER);
        } catch (JedisException e) {
            // it is gone, and with it what was in its memory; or 'blobmark cleanup' finds it
        } finally {
            jedis.close();
        }
    }
}
