package dev.blobmark.lab.admission;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.lab.store.Structure;
import dev.blobmark.lab.study.Design;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A run's stay on a Redis. Its keys begin with a random token, so that none of them was there before, and what is removed is
 * the run's own; no setting is changed. Confined to the thread of the run.
 */
public final class RedisSession implements StoreSession, AutoCloseable {

    private final RedisServer server;
    private final RedisMarker mark;
    private final Map<String, Loaded> sets = new HashMap<>();
    private Jedis jedis;
    private Optional<RedisWatch> watch = Optional.empty();

    /** What was loaded, to be loaded again. */
    private record Loaded(EncodedValues keys, Structure structure, LoadOrder order) {}

    private RedisSession(RedisServer server, RedisMarker mark, Jedis jedis) {
        this.server = server;
        this.mark = mark;
        this.jedis = jedis;
    }

    /**
     * Checks the server and marks it as visited.
     *
     * @param run the name of the run
     * @param alarm is called, on another thread, when the marker is lost; not for a Redis that Blobmark started
     * @throws AdmissionException if the run cannot be let in; nothing has been written then
     */
    public static RedisSession begin(RedisServer server, String run, Alarm alarm) {
        Jedis jedis = connect(server.endpoint());
        try {
            Map<String, String> info = RedisIdentity.info(jedis);
            if (!info.getOrDefault("role", "master").equals("master")) {
                throw new AdmissionException("the Redis " + server.endpoint().authority()
                        + " is a replica, which takes no keys; name its master");
            }
            RedisMarker mark = RedisMarker.of(run);
            if (!mark.claim(jedis)) {
                throw taken(server.endpoint(), jedis);
            }
            RedisSession visit = new RedisSession(server, mark, jedis);
            if (!server.isOwn()) {
                visit.watch = Optional.of(new RedisWatch(server.endpoint(), mark, alarm).start());
            }
            return visit;
        } catch (JedisException e) {
            jedis.close();
            throw new AdmissionException(
                    "the Redis " + server.endpoint().authority() + " refuses: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            jedis.close();
            throw e;
        }
    }

    private static AdmissionException taken(Endpoint endpoint, Jedis jedis) {
        String where = "the Redis " + endpoint.authority();
        return RedisMarker.read(jedis)
                .map(other -> new AdmissionException(where + " has keys of run " + other.run()
                        + (other.isAlive(jedis)
                                ? ", which is still at work: wait for its end"
                                : ", which was killed: remove them by 'blobmark cleanup --server redis=…'")))
                .orElseGet(() -> new AdmissionException(where + " has a key " + RedisMarker.KEY
                        + " that is not the marker of a run: remove it, if it is not needed, or name another Redis"));
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

    /** Connects again where the server has closed a silent connection. */
    @Override
    public RedisSet store(String name, Design design, EncodedValues keys) {
        awaken();
        // registered before it is loaded: what is loaded in part is removed too
        sets.put(name, new Loaded(keys, design.get(Structure.FACTOR), design.get(LoadOrder.FACTOR)));
        return set(name);
    }

    @Override
    public ForkPlan.Place place(String name, Design design, DiskSpace disk) {
        return new ForkPlan.Place(server.endpoint(), "", mark.prefix() + name, disk);
    }

    /** Connects again where the server has closed a connection that said nothing for long. */
    private void awaken() {
        try {
            jedis.ping();
        } catch (JedisException closed) {
            jedis.close();
            jedis = RedisIdentity.connect(server.endpoint());
        }
    }

    private RedisSet set(String name) {
        Loaded set = sets.get(name);
        return new RedisSet(jedis, mark.prefix(), name, set.structure, set.order, set.keys);
    }

    /**
     * Loads a set once more if the server has lost it, as it does when it is started again.
     * @throws ServerException if the server does not answer
     * @throws WatchLostException if a Redis that Blobmark did not start has lost the run's marker
     */
    @Override
    public boolean restore(String name) {
        boolean isWhole;
        try {
            isWhole = set(name).isWhole();
        } catch (JedisException gone) {
            // the server, or only the connection: some close those that say nothing for long
            jedis.close();
            server.restart();
            jedis = connect(server.endpoint());
            if (server.isOwn()) {
                mark.claim(jedis);
            }
            isWhole = set(name).isWhole();
        }
        if (!mark.isThere(jedis)) {
            throw new WatchLostException(mark.lost(server.endpoint()));
        }
        if (isWhole) {
            return false;
        }
        RedisSet set = set(name);
        EncodedValues keys = sets.get(name).keys;
        set.drop();
        set.load(keys, keys.count(), bytes -> {});
        set.readBack(keys);
        return true;
    }

    @Override
    public List<Long> serverPids() {
        return server.pids();
    }

    @Override
    public ServerIdentity identity() {
        return RedisIdentity.read(server.endpoint());
    }

    @Override
    public boolean isAlive() {
        try (Jedis asking = RedisIdentity.connect(server.endpoint())) {
            asking.ping();
            return true;
        } catch (JedisException e) {
            return false;
        }
    }

    /** Of a Redis that does not answer, the set is left to the end of the run. */
    @Override
    public void drop(String name) {
        if (!sets.containsKey(name)) {
            return;
        }
        try {
            awaken();
            set(name).drop();
            sets.remove(name);
        } catch (JedisException e) {
            // it is gone, and with it what was in its memory; or the end of the run removes it
        }
    }

    /**
     * What a run has left on a Redis, or has there as it is still at work.
     *
     * @param pattern of its keys
     * @param keys how many there are
     */
    public record Leftover(String run, String pattern, long keys, boolean isAlive) {}

    /** What a run has left there; empty where there is no marker of one. */
    public static Optional<Leftover> leftover(Endpoint endpoint) {
        try (Jedis jedis = connect(endpoint)) {
            return RedisMarker.read(jedis)
                    .map(mark ->
                            new Leftover(mark.run(), mark.prefix() + "*", mark.countKeys(jedis), mark.isAlive(jedis)));
        }
    }

    /** Removes the keys of a run and its marker, nothing else; how many keys that were. */
    public static long remove(Endpoint endpoint, Leftover leftover) {
        try (Jedis jedis = connect(endpoint)) {
            return RedisMarker.read(jedis)
                    .filter(mark -> leftover.pattern().equals(mark.prefix() + "*"))
                    .map(mark -> mark.remove(jedis))
                    .orElse(0L);
        }
    }

    @Override
    public void close() {
        watch.ifPresent(RedisWatch::close);
        try {
            awaken();
            sets.keySet().forEach(name -> set(name).drop());
            mark.release(jedis);
        } catch (JedisException e) {
            // it is gone, and with it what was in its memory; or 'blobmark cleanup' finds it
        } finally {
            jedis.close();
        }
    }
}
