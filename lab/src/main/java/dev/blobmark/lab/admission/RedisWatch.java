package dev.blobmark.lab.admission;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.server.redis.RedisIdentity;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Renews the sign that a run is alive on a Redis, on a connection and a thread of its own, and ends the run where it is no longer
 * the one that has marked the server. It reads no load: Redis has no number that tells what others have it do. Its commands are
 * carried out one at a time, {@code instantaneous_ops_per_sec} counts those of the run, {@code connected_clients} idle ones, and
 * {@code blocked_clients} those that wait because they want to.
 */
final class RedisWatch implements AutoCloseable {

    private static final long PERIOD_MILLIS = 5_000;

    /** The sign of life expires later than the run ends. */
    private static final long MOST_BLIND_MILLIS = TimeUnit.SECONDS.toMillis(LoadWatch.END_SECONDS);

    private final Endpoint endpoint;
    private final RedisMarker mark;
    private final Alarm alarm;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::watch, "redis-watch");

    RedisWatch(Endpoint endpoint, RedisMarker mark, Alarm alarm) {
        this.endpoint = endpoint;
        this.mark = mark;
        this.alarm = alarm;
        thread.setDaemon(true);
    }

    RedisWatch start() {
        thread.start();
        return this;
    }

    private void watch() {
        Jedis jedis = null;
        long blindMillis = 0;
        try {
            do {
                long begin = System.nanoTime();
                try {
                    jedis = jedis == null ? RedisIdentity.connect(endpoint) : jedis;
                    if (!mark.isThere(jedis)) {
                        alarm.lost(mark.lost(endpoint));
                        return;
                    }
                    mark.renew(jedis);
                    blindMillis = 0;
                } catch (JedisException e) {
                    close(jedis);
                    jedis = null;
                    // the time of attempts, so that a process that was suspended is not taken for one that was blind
                    blindMillis += TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + PERIOD_MILLIS;
                    if (blindMillis >= MOST_BLIND_MILLIS) {
                        alarm.lost("the marker of this run could not be renewed in the Redis " + endpoint.authority()
                                + " for " + LoadWatch.END_SECONDS + " s (" + e.getMessage() + ")");
                        return;
                    }
                }
            } while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            // nobody interrupts it but the end of the JVM
        } finally {
            close(jedis);
        }
    }

    private static void close(Jedis jedis) {
        if (jedis != null) {
            jedis.close();
        }
    }

    /** Ends the watch: no sign of life is renewed afterwards. */
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
