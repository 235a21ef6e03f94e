package dev.blobmark.lab.admission;

import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.lab.store.Structure;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.Alarm;
import dev.blobmark.mysql.admission.WatchLostException;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A run's session on a Redis. Its keys begin with a random token, so they did not exist before, and only the run's own
 * keys are removed. No setting is changed. Confined to the run's thread.
 */
public final class RedisSession implements StoreSession, AutoCloseable {

    private final RedisServer server;
    private final RedisMarker marker;
    private final Map<String, LoadedSet> sets = new HashMap<>();
    private Jedis jedis;
    private Optional<RedisWatch> watch = Optional.empty();

    /** A set that was loaded and may have to be loaded again. */
    private record LoadedSet(EncodedValues keys, Structure structure, LoadOrder order) {}

    private RedisSession(RedisServer server, RedisMarker marker, Jedis jedis) {
        this.server = server;
        this.marker = marker;
        this.jedis = jedis;
    }

    /**
     * Checks the server and creates the run's marker.
     *
     * @param run the name of the run
     * @param alarm called on another thread if the marker is lost; not used for a Redis that Blobmark started
     * @throws AdmissionException if the run is not admitted; then nothing has been written
     */
    public static RedisSession begin(RedisServer server, String run, Alarm alarm) {
        Jedis jedis = connect(server.endpoint());
        try {
            Map<String, String> info = RedisIdentity.info(jedis);
            if (!info.getOrDefault("role", "master").equals("master")) {
                throw new AdmissionException("the Redis " + server.endpoint().authority()
                        + " is a replica, which accepts no writes; name its master");
            }
            RedisMarker marker = RedisMarker.of(run);
            if (!marker.claim(jedis)) {
                throw taken(server.endpoint(), jedis);
            }
            RedisSession session = new RedisSession(server, marker, jedis);
            if (!server.isOwn()) {
                session.watch = Optional.of(new RedisWatch(server.endpoint(), marker, alarm).start());
            }
            return session;
        } catch (JedisException e) {
            jedis.close();
            throw new AdmissionException(
                    "the Redis " + server.endpoint().authority() + " refused the run: " + e.getMessage(), e);
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
                                : ", which was killed: remove them with 'blobmark cleanup --server redis=…'")))
                .orElseGet(() -> new AdmissionException(where + " has a key " + RedisMarker.KEY
                        + " that is not the marker of a run: remove it, if it is not needed, or name another Redis"));
    }

    private static Jedis connect(Endpoint endpoint) {
        try {
            Jedis jedis = RedisIdentity.connect(endpoint);
            jedis.ping();
            return jedis;
        } catch (JedisException e) {
            throw new ServerException(
                    "the Redis " + endpoint.authority() + " does not answer: " + e.getMessage()
                            + ". Check whether it is running.",
                    e);
        }
    }

    public RedisServer server() {
        return server;
    }

    @Override
    public RedisSet store(String name, Design design, EncodedValues keys) {
        reconnectIfClosed();
        // registered before it is loaded, so that an incomplete set is removed too
        sets.put(name, new LoadedSet(keys, design.get(Structure.FACTOR), design.get(LoadOrder.FACTOR)));
        return set(name);
    }

    @Override
    public ForkPlan.LoadedTable place(String name, Design design, DiskSpace disk) {
        return new ForkPlan.LoadedTable(server.endpoint(), "", marker.prefix() + name, disk);
    }

    /** Servers close idle connections. */
    private void reconnectIfClosed() {
        try {
            jedis.ping();
        } catch (JedisException closed) {
            jedis.close();
            jedis = RedisIdentity.connect(server.endpoint());
        }
    }

    private RedisSet set(String name) {
        LoadedSet set = sets.get(name);
        return new RedisSet(jedis, marker.prefix(), name, set.structure, set.order, set.keys);
    }

    /**
     * Loads a set again if the server has lost it, as a restarted server has.
     *
     * @throws ServerException if the server does not answer
     * @throws WatchLostException if a Redis that Blobmark did not start has lost the run's marker
     */
    @Override
    public boolean restore(String name) {
        boolean isWhole;
        try {
            isWhole = set(name).isWhole();
        } catch (JedisException gone) {
            // the server is gone, or has only closed an idle connection
            jedis.close();
            server.restart();
            jedis = connect(server.endpoint());
            if (server.isOwn()) {
                marker.claim(jedis);
            }
            isWhole = set(name).isWhole();
        }
        if (!marker.isThere(jedis)) {
            throw new WatchLostException(marker.lost(server.endpoint()));
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
        try (Jedis connection = RedisIdentity.connect(server.endpoint())) {
            connection.ping();
            return true;
        } catch (JedisException e) {
            return false;
        }
    }

    /** If the server does not answer, the set is dropped at the end of the run. */
    @Override
    public void drop(String name) {
        if (!sets.containsKey(name)) {
            return;
        }
        try {
            reconnectIfClosed();
            set(name).drop();
            sets.remove(name);
        } catch (JedisException e) {
            // a server that has ended has lost its data; otherwise the set is dropped at the end of the run
        }
    }

    /** What a run has left on a server, or has there while it is at work; empty if there is no marker. */
    public static Optional<StoreServers.Leftover> leftover(Endpoint endpoint) {
        try (Jedis jedis = connect(endpoint)) {
            return RedisMarker.read(jedis)
                    .map(marker -> new StoreServers.Leftover(
                            marker.run(),
                            marker.countKeys(jedis) + " keys " + marker.prefix() + "*",
                            marker.isAlive(jedis),
                            () -> remove(endpoint, marker)));
        }
    }

    /** Removes the keys of a run and its marker, if the marker is still there. */
    private static String remove(Endpoint endpoint, RedisMarker marker) {
        try (Jedis jedis = connect(endpoint)) {
            return (marker.isThere(jedis) ? marker.remove(jedis) : 0) + " keys";
        }
    }

    @Override
    public void close() {
        watch.ifPresent(RedisWatch::close);
        try {
            reconnectIfClosed();
            sets.keySet().forEach(name -> set(name).drop());
            marker.release(jedis);
        } catch (JedisException e) {
            // a server that has ended has lost its data; otherwise 'blobmark cleanup' removes it
        } finally {
            jedis.close();
        }
    }
}
