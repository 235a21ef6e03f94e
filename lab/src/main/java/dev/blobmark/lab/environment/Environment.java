package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.FactorFamily;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an own server must be started with for a trial. Trials with equal environments can be measured without a restart
 * of the server.
 *
 * @param durability what a commit waits for
 * @param storage where the server's files are
 * @param workingSetPool bytes of a buffer pool that is sized in proportion to the values. Pages are then read from the
 *     disk, not from the system's page cache. Empty for a pool of {@link #DEFAULT_POOL_BYTES}
 * @param cpu how much of a processor the server may use
 * @param requested server variables that a trial states, by name; they override those that follow from the other
 *     components
 * @param layoutVariables global variables that are set while the server runs, if it has them and accepts the value.
 *     They are not set at the start, because a server does not start with a value that it does not support
 */
public record Environment(
        Durability durability,
        Storage storage,
        Optional<Long> workingSetPool,
        CpuShare cpu,
        SortedMap<String, String> requested,
        SortedMap<String, String> layoutVariables) {

    /** The smallest buffer pool that a server accepts with the default page size: 5 MiB. */
    public static final long MIN_POOL_BYTES = 5L << 20;

    private static final long MIB = 1L << 20;

    public static final long DEFAULT_POOL_BYTES = 1L << 30;

    /** The environment of a trial that states none of its factors. */
    public static final Environment DEFAULT = new Environment(
            Durability.FULL,
            new Storage.Disk(),
            Optional.empty(),
            CpuShare.WHOLE,
            Collections.emptySortedMap(),
            Collections.emptySortedMap());

    private static final String PREFIX = "server.";

    private static final String FLUSH_METHOD = "innodb_flush_method";

    private static final String POOL = "innodb_buffer_pool_size";

    /** Not read back, because it serves only to reach the pool's size. Later servers do not have it. */
    private static final String CHUNK = "loose_innodb_buffer_pool_chunk_size";

    /** The prefix of options that a server ignores if it does not have them. */
    private static final String LOOSE = "loose_";

    /** {@code server.NAME}: a variable of an own server, with its value as text. The default is the server's. */
    public static final FactorFamily VARIABLES = new FactorFamily(
            PREFIX,
            PREFIX + "NAME",
            "a variable of the server, as SHOW GLOBAL VARIABLES names it",
            Environment::variable);

    /** Without the page cache and without read-ahead, whose pages could not be attributed to an operation. */
    private static final Map<String, String> WORKING_SET_VARIABLES =
            Map.of(FLUSH_METHOD, "O_DIRECT", "innodb_read_ahead_threshold", "0", "innodb_random_read_ahead", "OFF");

    public Environment {
        Objects.requireNonNull(durability, "durability");
        Objects.requireNonNull(storage, "storage");
        Objects.requireNonNull(cpu, "cpu");
        requested = Collections.unmodifiableSortedMap(new TreeMap<>(requested));
        layoutVariables = Collections.unmodifiableSortedMap(new TreeMap<>(layoutVariables));
        if (workingSetPool.isPresent() && requested.containsKey(POOL)) {
            throw new IllegalArgumentException("working-set and " + PREFIX + POOL
                    + " both set the size of the buffer pool; leave one of them out");
        }
    }

    /** Without variables of a layout. */
    public Environment(
            Durability durability,
            Storage storage,
            Optional<Long> workingSetPool,
            CpuShare cpu,
            SortedMap<String, String> requested) {
        this(durability, storage, workingSetPool, cpu, requested, Collections.emptySortedMap());
    }

    /**
     * Sets the variables of the layout on the running server. A refused variable is not an error here; the read-back
     * check of the layout's table finds it.
     */
    public void setLayoutVariables(Connection connection) throws SQLException {
        for (var variable : layoutVariables.entrySet()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET GLOBAL " + variable.getKey() + " = '" + variable.getValue() + "'");
            } catch (SQLException e) {
                if (!connection.isValid(5)) {
                    throw e;
                }
            }
        }
    }

    private static Factor<String> variable(String factor) {
        String name = factor.substring(PREFIX.length());
        return new Factor<>(
                factor,
                Factor.Home.CONDITION,
                Set.of(Factor.Shape.SERVER),
                Set.of(Factor.Use.STORE),
                "the server variable " + name,
                List.of("a value as text"),
                Optional.empty(),
                value -> name.equals(POOL) ? Long.toString(poolBytes(value)) : StudyVariables.value(name, value),
                value -> value);
    }

    private static long poolBytes(String text) {
        Optional<BigDecimal> bytes = amount(text);
        if (bytes.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' is not a size of a buffer pool; write bytes, 64M or 2G");
        }
        return requirePool(bytes.get().longValue());
    }

    /**
     * Checks the size of a buffer pool.
     *
     * @param bytes whole MiB, at least {@link #MIN_POOL_BYTES}
     * @throws IllegalArgumentException for any other size
     */
    public static long requirePool(long bytes) {
        if (bytes < MIN_POOL_BYTES || bytes % MIB != 0) {
            throw new IllegalArgumentException("a buffer pool of " + bytes
                    + " bytes: it must be whole MiB (1048576 bytes), at least " + MIN_POOL_BYTES + " bytes");
        }
        return bytes;
    }

    public long bufferPoolBytes() {
        return Optional.ofNullable(requested.get(POOL))
                .map(Long::valueOf)
                .or(() -> workingSetPool)
                .orElse(DEFAULT_POOL_BYTES);
    }

    /** All variables to start the server with, except the size of the buffer pool. */
    public SortedMap<String, String> variables() {
        SortedMap<String, String> all = new TreeMap<>(durability.variables());
        if (workingSetPool.isPresent()) {
            all.putAll(WORKING_SET_VARIABLES);
            all.put(CHUNK, Long.toString(WorkingSet.chunkBytes(workingSetPool.get())));
        }
        requested.forEach((name, value) -> {
            all.remove(name.replaceFirst("^" + LOOSE, ""));
            all.put(name, value);
        });
        all.remove(POOL);
        return all;
    }

    /** The variable that a factor sets; empty for other factors. */
    public static Optional<String> variableOf(String factor) {
        return VARIABLES.has(factor) ? Optional.of(factor.substring(PREFIX.length())) : Optional.empty();
    }

    /** Whether this variable makes a server reload its buffer pool when it starts. */
    public static boolean loadsBufferPool(String name, String value) {
        return name.replaceFirst("^" + LOOSE, "").equals("innodb_buffer_pool_load_at_startup") && isOn(value);
    }

    /**
     * This environment for files in a directory. If its file system does not support O_DIRECT, the server reads through
     * the page cache, and {@code innodb_flush_method} shows it.
     *
     * @param directory exists, or will be created
     */
    public Environment in(Path directory) throws IOException {
        return requested.containsKey(FLUSH_METHOD) || supportsDirectReads(directory)
                ? this
                : new Environment(
                        durability,
                        storage,
                        workingSetPool,
                        cpu,
                        with(requested, FLUSH_METHOD, "fsync"),
                        layoutVariables);
    }

    /** Tries to open a file with O_DIRECT in the directory, or in the nearest parent that exists. */
    private static boolean supportsDirectReads(Path directory) throws IOException {
        Path existing = directory.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = existing.getParent();
        }
        Path probe = Files.createTempFile(existing, "blobmark-direct-", "");
        try (FileChannel opened = FileChannel.open(probe, StandardOpenOption.READ, direct())) {
            return opened.isOpen();
        } catch (IOException | UnsupportedOperationException | ReflectiveOperationException e) {
            return false;
        } finally {
            Files.delete(probe);
        }
    }

    /** Found by its name, because compilers warn about a class that is internal to the JDK. */
    private static OpenOption direct() throws ReflectiveOperationException {
        return (OpenOption) Class.forName("com.sun.nio.file.ExtendedOpenOption")
                .getField("DIRECT")
                .get(null);
    }

    private static SortedMap<String, String> with(SortedMap<String, String> some, String name, String value) {
        SortedMap<String, String> all = new TreeMap<>(some);
        all.put(name, value);
        return all;
    }

    /**
     * Compares the variables that the server was started with with its effective ones.
     *
     * @param effective the server's global variables
     * @throws ServerException if the server rounded or ignored a value
     */
    public void verify(Map<String, String> effective) {
        List<String> differing = new ArrayList<>();
        SortedMap<String, String> wanted = with(variables(), POOL, Long.toString(bufferPoolBytes()));
        wanted.remove(CHUNK);
        wanted.forEach((name, value) -> {
            String plain = name.replaceFirst("^" + LOOSE, "");
            String actual = effective.get(plain);
            if (actual == null ? name.equals(plain) : !isSame(value, actual)) {
                differing.add(
                        actual == null
                                ? "there is no variable " + plain + " to read back"
                                : plain + " is " + actual + ", not " + value);
            }
        });
        if (!differing.isEmpty()) {
            throw new ServerException("the server does not have the variables that it was started with: "
                    + String.join("; ", differing) + ". State a value that it accepts, or leave the factor out.");
        }
    }

    private static boolean isSame(String requested, String actual) {
        Optional<BigDecimal> amount = amount(requested);
        return requested.equalsIgnoreCase(actual)
                || amount.isPresent()
                        && amount(actual)
                                .filter(other -> other.compareTo(amount.get()) == 0)
                                .isPresent()
                || isSwitch(requested) && isSwitch(actual) && isOn(requested) == isOn(actual);
    }

    /** A number with an optional suffix K, M or G, as in option files. */
    private static Optional<BigDecimal> amount(String text) {
        if (!text.matches("-?\\d{1,18}(\\.\\d{1,9})?[kKmMgG]?")) {
            return Optional.empty();
        }
        int shift = 10 * (1 + "kmg".indexOf(Character.toLowerCase(text.charAt(text.length() - 1))));
        return Optional.of(new BigDecimal(shift == 0 ? text : text.substring(0, text.length() - 1))
                .multiply(BigDecimal.valueOf(1L << shift)));
    }

    private static boolean isSwitch(String text) {
        return text.toLowerCase(Locale.ROOT).matches("on|off|true|false|yes|no|1|0");
    }

    private static boolean isOn(String text) {
        return text.toLowerCase(Locale.ROOT).matches("on|true|yes|1");
    }

    /** What differs from the default: {@code durability=none,pool=64MiB}; may be empty. */
    @Override
    public String toString() {
        TreeMap<String, String> differing = new TreeMap<>();
        differing.put(Durability.FACTOR.name(), durability.word());
        differing.put(Storage.FACTOR.name(), storage.toString());
        differing.put(CpuShare.FACTOR.name(), cpu.toString());
        for (Factor<?> factor : List.of(Durability.FACTOR, Storage.FACTOR, CpuShare.FACTOR)) {
            differing.remove(factor.name(), factor.defaultLevel().orElseThrow());
        }
        workingSetPool.ifPresent(bytes -> differing.put("pool", (bytes >> 20) + "MiB"));
        requested.forEach((name, value) -> differing.put(PREFIX + name, value));
        layoutVariables.forEach((name, value) -> differing.put(PREFIX + name, value));
        return Levels.of(differing).toString();
    }
}
