package dev.blobmark.lab.admission;

import dev.blobmark.lab.store.RedisSet;
import dev.blobmark.mysql.server.Endpoint;
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
 * Ownership marker of a run on a Redis: the key {@value #KEY} with the run's token and name. Only one run has it at a
 * time. A second key, which expires unless the run renews it, shows that the run is alive. A connection would not show
 * that, because servers close idle ones (timeout) and names of connections are not unique.
 *
 * @param token random prefix of all keys of the run
 */
record RedisMarker(String token, String run) {

    static final String KEY = "blobmark:run";

    /** Expiry of the second key. The run renews it every 5 s, and ends if that fails for 30 s. */
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

    /** The marker on a server; empty if there is none, or the key has another value. */
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

    /** Creates the marker unless the server has one. The second key is created first, so the run never looks dead. */
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

    /** Removes the marker if it is this one. */
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

    /** Why a run ends that has lost its marker. */
    String lost(Endpoint endpoint) {
        return "the marker of this run is no longer in the Redis " + endpoint.authority()
                + ": it was removed, or the server was restarted without its data";
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
        ScanParams pattern = new ScanParams().match(prefix() + "*").count(SCANNED);
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<byte[]> page = jedis.scan(RedisSet.bytes(cursor), pattern);
            if (!page.getResult().isEmpty()) {
                found.accept(page.getResult());
            }
            cursor = page.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
    }
}
