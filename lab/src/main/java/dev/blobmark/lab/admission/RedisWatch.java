package dev.blobmark.lab.admission;

import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.mysql.admission.Alarm;
import dev.blobmark.mysql.admission.LoadWatch;
import dev.blobmark.mysql.server.Endpoint;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Renews the key that shows that a run is alive on a Redis, on a separate connection and thread, and ends the run if it
 * has lost its marker. It does not read the load, because Redis has no figure for the load by others:
 * {@code instantaneous_ops_per_sec} includes the run's commands, {@code connected_clients} includes idle clients, and
 * {@code blocked_clients} counts those that wait in blocking commands. Commands are executed one at a time.
 */
final class RedisWatch implements AutoCloseable {

    private static final long PERIOD_MILLIS = 5_000;

    /** Less than the expiry of the key, so that the run ends before it looks dead. */
    private static final long MAX_UNRENEWED_MILLIS = TimeUnit.SECONDS.toMillis(LoadWatch.END_SECONDS);

    private final Endpoint endpoint;
    private final RedisMarker marker;
    private final Alarm alarm;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::watch, "redis-watch");

    RedisWatch(Endpoint endpoint, RedisMarker marker, Alarm alarm) {
        this.endpoint = endpoint;
        this.marker = marker;
        this.alarm = alarm;
        thread.setDaemon(true);
    }

    RedisWatch start() {
        thread.start();
        return this;
    }

    private void watch() {
        Jedis jedis = null;
        long unrenewedMillis = 0;
        try {
            do {
                long begin = System.nanoTime();
                try {
                    jedis = jedis == null ? RedisIdentity.connect(endpoint) : jedis;
                    if (!marker.isThere(jedis)) {
                        alarm.lost(marker.lost(endpoint));
                        return;
                    }
                    marker.renew(jedis);
                    unrenewedMillis = 0;
                } catch (JedisException e) {
                    close(jedis);
                    jedis = null;
                    // the sum of attempts, so that time in which the process was suspended does not count
                    unrenewedMillis += TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + PERIOD_MILLIS;
                    if (unrenewedMillis >= MAX_UNRENEWED_MILLIS) {
                        alarm.lost("the marker of this run could not be renewed in the Redis " + endpoint.authority()
                                + " for " + LoadWatch.END_SECONDS + " s (" + e.getMessage() + ")");
                        return;
                    }
                }
            } while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            // the JVM ends
        } finally {
            close(jedis);
        }
    }

    private static void close(Jedis jedis) {
        if (jedis != null) {
            jedis.close();
        }
    }

    /** Ends the watch. Afterwards the key is not renewed. */
    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(PERIOD_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
