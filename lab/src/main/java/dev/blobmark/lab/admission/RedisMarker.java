package dev.blobmark.lab.admission;

import dev.blobmark.lab.server.Endpoint;
import dev.blobmark.lab.store.RedisSet;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * What says that a run is on a Redis, and which keys are its own: the key {@value #KEY} has its token and its name. One run has it
 * at a time. A second key with an expiry, which the run renews, is the sign that it is alive: a connection is none, since servers
 * close those that say nothing for long (timeout), and names of connections can be the same.
 *
 * @param token random; it begins all keys of the run
 */
record RedisMarker(String token, String run) {

    static final String KEY = "blobmark:run";

    /** The run renews the sign of life every 5 s, and ends when it cannot for 30 s. */
    private static final int ALIVE_SECONDS = 60;

    private static final String ALIVE = "blobmark:alive:";
    private static final String DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
    private static final Pattern VALUE = Pattern.compile("([0-9a-z]{" + RedisSet.TOKEN_LENGTH + "}) (\\S{1,200})");
    private static final int SCANNED = 1_000;

    static RedisMarker of(String run) {
        String token = new SecureRandom()
                .ints(RedisSet.TOKEN_LENGTH, 0, DIGITS.length())
                .mapToObj(i -> DIGITS.substring(i, i + 1))
                .collect(Collectors.joining());
        String word = run.replaceAll("[^A-Za-z0-9._:+-]+", "-");
        return new RedisMarker(token, word.isEmpty() ? "-" : word.substring(0, Math.min(word.length(), 200)));
    }

    /** Empty where there is none, or a key of that name that is somebody else's. */
    static Optional<RedisMarker> read(Jedis jedis) {
        try {
            String value = jedis.get(KEY);
            Matcher parts = VALUE.matcher(value == null ? "" : value);
            return parts.matches() ? Optional.of(new RedisMarker(parts.group(1), parts.group(2))) : Optional.empty();
        } catch (JedisDataException otherType) {
            return Optional.empty();
        }
    }

    String prefix() {
        return RedisSet.prefix(token);
    }

    private String value() {
        return token + " " + run;
    }

    /** Marks the server, unless it is marked. Others never see the marker without its sign of life. */
    boolean claim(Jedis jedis) {
        renew(jedis);
        if (jedis.set(KEY, value(), SetParams.setParams().nx()) != null || isThere(jedis)) {
            return true;
        }
        jedis.del(ALIVE + token);
        return false;
    }

    boolean isThere(Jedis jedis) {
        return read(jedis).equals(Optional.of(this));
    }

    void renew(Jedis jedis) {
        jedis.set(ALIVE + token, run, SetParams.setParams().ex(ALIVE_SECONDS));
    }

    boolean isAlive(Jedis jedis) {
        return jedis.exists(ALIVE + token);
    }

    /** Takes the marker away, if it is this one. */
    void release(Jedis jedis) {
        jedis.watch(KEY);
        if (isThere(jedis)) {
            Transaction transaction = jedis.multi();
            transaction.del(KEY);
            transaction.exec();
        } else {
            jedis.unwatch();
        }
        jedis.del(ALIVE + token);
    }

    /** Why a run whose marker this was ends. */
    String lost(Endpoint endpoint) {
        return "the marker of this run is no longer in the Redis " + endpoint.authority()
                + ": it was removed, or the server was started again without its data";
    }

    long countKeys(Jedis jedis) {
        long[] count = new long[1];
        scan(jedis, keys -> count[0] += keys.size());
        return count[0];
    }

    /** Removes the keys of the run, then its marker. */
    long remove(Jedis jedis) {
        long[] removed = new long[1];
        scan(jedis, keys -> removed[0] += jedis.unlink(keys.toArray(byte[][]::new)));
        release(jedis);
        return removed[0];
    }

    private void scan(Jedis jedis, Consumer<List<byte[]>> found) {
        ScanParams ours = new ScanParams().match(prefix() + "*").count(SCANNED);
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<byte[]> some = jedis.scan(RedisSet.bytes(cursor), ours);
            if (!some.getResult().isEmpty()) {
                found.accept(some.getResult());
            }
            cursor = some.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    }
}
