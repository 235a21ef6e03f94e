package dev.blobmark.lab.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/** A set of keys in Redis. */
public final class RedisSet implements Store {

    /** Keys per command. */
    private static final int COMMAND_KEYS = 500;

    /** Keys that are sent before their answers are read. */
    private static final int PIPELINE_KEYS = 10_000;

    /**
     * Characters of a run's token. There are 36^5 tokens, and one run at a time uses a server. The prefix has 9
     * characters like {@code blobmark:}, the prefix of earlier versions, so that figures of memory stay comparable.
     */
    public static final int TOKEN_LENGTH = 5;

    /** The prefix as it is shown, with a placeholder for the token. */
    public static final String SHOWN_PREFIX = prefix("?".repeat(TOKEN_LENGTH));

    private static final byte[] EMPTY = {};

    private final Jedis jedis;
    private final String shownName;
    private final byte[] name;
    private final Structure structure;
    private final LoadOrder order;
    private final EncodedValues keys;
    private long grownBytes;

    /**
     * @param prefix of all keys of the run
     * @param name of the set, or the beginning of its keys, after the prefix
     * @param keys that will be loaded
     */
    public RedisSet(Jedis jedis, String prefix, String name, Structure structure, LoadOrder order, EncodedValues keys) {
        this.jedis = jedis;
        this.shownName = SHOWN_PREFIX + name;
        this.name = bytes(prefix + name);
        this.structure = structure;
        this.order = order;
        this.keys = keys;
    }

    /** The key that a command looks up: the member, or for {@link Structure#KEYS} the name followed by the member. */
    public static byte[] key(byte[] name, Structure structure, byte[] member) {
        if (structure == Structure.SET) {
            return member;
        }
        byte[] key = Arrays.copyOf(name, name.length + member.length);
        System.arraycopy(member, 0, key, name.length, member.length);
        return key;
    }

    /** The {@link #key} of each member. */
    public static byte[][] keys(byte[] name, Structure structure, byte[][] members) {
        return structure == Structure.SET
                ? members
                : Arrays.stream(members)
                        .map(member -> key(name, structure, member))
                        .toArray(byte[][]::new);
    }

    /** The beginning of all keys of a run. */
    public static String prefix(String token) {
        return "bm:" + token + ":";
    }

    public static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** The commands that create a set, shown like a table's DDL. */
    public static String commands(String name, Structure structure) {
        return structure == Structure.SET ? "SADD " + name + " MEMBER …" : "SET " + name + "MEMBER \"\"";
    }

    @Override
    public String shownName() {
        return shownName;
    }

    @Override
    public String ddl() {
        return commands(shownName, structure);
    }

    /** Does nothing: a set exists from its first key on. */
    @Override
    public SortedMap<String, String> create() {
        return new TreeMap<>();
    }

    @Override
    public void load(EncodedValues keys, int count, LongConsumer loaded) {
        long before = memoryBytes(jedis);
        PrimitiveIterator.OfInt numbers = order.of(keys).iterator();
        for (int done = 0; done < count; done += PIPELINE_KEYS) {
            int sent = Math.min(PIPELINE_KEYS, count - done);
            long bytes = 0;
            // not jedis.pipelined(): with that, a lost connection is an IllegalStateException in each later command
            try (Pipeline pipeline = new Pipeline(jedis.getConnection())) {
                for (int left = sent; left > 0; left -= COMMAND_KEYS) {
                    byte[][] part = new byte[Math.min(left, COMMAND_KEYS)][];
                    for (int i = 0; i < part.length; i++) {
                        part[i] = keys.stored(numbers.nextInt());
                        bytes += part[i].length;
                    }
                    add(pipeline, part);
                }
                pipeline.sync();
            }
            loaded.accept(bytes);
        }
        grownBytes = memoryBytes(jedis) - before;
    }

    private void add(Pipeline pipeline, byte[][] members) {
        if (structure == Structure.SET) {
            pipeline.sadd(name, members);
            return;
        }
        for (byte[] member : members) {
            pipeline.set(key(name, structure, member), EMPTY);
        }
    }

    /** Whether the set is complete, as far as one command shows. It is not after a restart of the server. */
    public boolean isWhole() {
        return structure == Structure.SET
                ? jedis.scard(name) == keys.count()
                : jedis.exists(key(name, structure, keys.stored(0)));
    }

    /** Looks up every key, and checks the number of keys. */
    @Override
    public void readBack(EncodedValues keys) {
        for (int begin = 0; begin < keys.count(); begin += COMMAND_KEYS) {
            byte[][] batch = IntStream.range(begin, Math.min(begin + COMMAND_KEYS, keys.count()))
                    .mapToObj(i -> key(name, structure, keys.stored(i)))
                    .toArray(byte[][]::new);
            long found = structure == Structure.SET
                    ? jedis.smismember(name, batch).stream()
                            .filter(isMember -> isMember)
                            .count()
                    : jedis.exists(batch);
            if (found != batch.length) {
                throw new WrongValueException((batch.length - found) + " of the " + batch.length + " keys from "
                        + HexFormat.of().formatHex(keys.stored(begin)) + " on are missing after loading");
            }
        }
        if (!isWhole()) {
            throw new WrongValueException("there are " + jedis.scard(name) + " keys after loading " + keys.count());
        }
    }

    @Override
    public void forEachRow(RowConsumer consumer) {
        throw new UnsupportedOperationException("a set has no values");
    }

    /** The bytes by which the server's data grew in memory while the set was loaded; empty if it did not grow. */
    @Override
    public Placement placement(EncodedValues keys) {
        return new Placement(
                Optional.empty(),
                grownBytes > 0 ? OptionalLong.of(grownBytes) : OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty());
    }

    @Override
    public void drop() {
        if (structure == Structure.SET) {
            jedis.unlink(name);
            return;
        }
        for (int begin = 0; begin < keys.count(); begin += COMMAND_KEYS) {
            jedis.unlink(IntStream.range(begin, Math.min(begin + COMMAND_KEYS, keys.count()))
                    .mapToObj(i -> key(name, structure, keys.stored(i)))
                    .toArray(byte[][]::new));
        }
    }

    /** Bytes of memory that the server's data takes now, without the server's own overhead. */
    public static long memoryBytes(Jedis jedis) {
        return List.of(jedis.info("memory").split("\r?\n")).stream()
                .filter(line -> line.startsWith("used_memory_dataset:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElse(0);
    }
}
