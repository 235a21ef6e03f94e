package dev.blobmark.lab.environment;

import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.FactorFamily;
import dev.blobmark.lab.study.Levels;
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
 * What a server of Blobmark's own must be started with for a trial. Trials with equal environments can be measured on one start
 * of the server.
 *
 * @param durability what a commit waits for
 * @param storage where the server's files lie
 * @param workingSetPool bytes of a buffer pool that was sized to the values, which are then read from the disk and not from the
 *     system's memory; empty for a pool of {@link #ROOMY_POOL_BYTES}
 * @param cpu how much of a processor the server may have
 * @param asked server variables that a trial states, by name; they come before all that follows from the others
 * @param ofLayout global variables that are set once the server runs, where it has them and takes the value: a server that is
 *     started with what it cannot do does not start at all
 */
public record Environment(
        Durability durability,
        Storage storage,
        Optional<Long> workingSetPool,
        CpuShare cpu,
        SortedMap<String, String> asked,
        SortedMap<String, String> ofLayout) {

    /** The smallest buffer pool that a server takes with its default page size: 5 MiB. */
    public static final long MIN_POOL_BYTES = 5L << 20;

    private static final long MIB = 1L << 20;

    /** For trials on tables that fit. */
    public static final long ROOMY_POOL_BYTES = 1L << 30;

    /** What a trial has that asks for nothing. */
    public static final Environment USUAL = new Environment(
            Durability.FULL,
            new Storage.Disk(),
            Optional.empty(),
            CpuShare.WHOLE,
            Collections.emptySortedMap(),
            Collections.emptySortedMap());

    private static final String PREFIX = "server.";

    private static final String FLUSH_METHOD = "innodb_flush_method";

    /** Given in bytes, and checked before a server is. */
    private static final String POOL = "innodb_buffer_pool_size";

    /** A means to the pool's size, which is what is read back; later servers do without it. */
    private static final String CHUNK = "loose_innodb_buffer_pool_chunk_size";

    /** Whatever a server does not know of these, it may do without. */
    private static final String LOOSE = "loose_";

    /** {@code server.NAME}: a variable of a server that Blobmark starts, its value as text. Without it the server's own default. */
    public static final FactorFamily VARIABLES = new FactorFamily(
            PREFIX,
            PREFIX + "NAME",
            "a variable of the server, as SHOW GLOBAL VARIABLES names it",
            Environment::variable);

    /** Pages are read when they are asked for, and by the server alone: what was read ahead would be counted for nobody. */
    private static final Map<String, String> OF_A_WORKING_SET =
            Map.of(FLUSH_METHOD, "O_DIRECT", "innodb_read_ahead_threshold", "0", "innodb_random_read_ahead", "OFF");

    public Environment {
        Objects.requireNonNull(durability, "durability");
        Objects.requireNonNull(storage, "storage");
        Objects.requireNonNull(cpu, "cpu");
        asked = Collections.unmodifiableSortedMap(new TreeMap<>(asked));
        ofLayout = Collections.unmodifiableSortedMap(new TreeMap<>(ofLayout));
        if (workingSetPool.isPresent() && asked.containsKey(POOL)) {
            throw new IllegalArgumentException(
                    "working-set and " + PREFIX + POOL + " both size the buffer pool; leave one of them out");
        }
    }

    /** For any layout. */
    public Environment(
            Durability durability,
            Storage storage,
            Optional<Long> workingSetPool,
            CpuShare cpu,
            SortedMap<String, String> asked) {
        this(durability, storage, workingSetPool, cpu, asked, Collections.emptySortedMap());
    }

    /** Sets what is to be set on the running server; what it refuses, the layout's table will tell. */
    public void setOfLayout(Connection connection) throws SQLException {
        for (var variable : ofLayout.entrySet()) {
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
            throw new IllegalArgumentException("'" + text + "' is no size of a buffer pool; write bytes, 64M or 2G");
        }
        return requirePool(bytes.get().longValue());
    }

    /**
     * The size of a buffer pool, if a server takes it.
     *
     * @param bytes whole MiB, at least {@link #MIN_POOL_BYTES}
     * @throws IllegalArgumentException if it is another size
     */
    public static long requirePool(long bytes) {
        if (bytes < MIN_POOL_BYTES || bytes % MIB != 0) {
            throw new IllegalArgumentException("a buffer pool of " + bytes
                    + " bytes: it must be whole MiB (1048576 bytes), at least " + MIN_POOL_BYTES + " bytes");
        }
        return bytes;
    }

    public long bufferPoolBytes() {
        return Optional.ofNullable(asked.get(POOL))
                .map(Long::valueOf)
                .or(() -> workingSetPool)
                .orElse(ROOMY_POOL_BYTES);
    }

    /** All variables to start the server with, but the size of its buffer pool. */
    public SortedMap<String, String> variables() {
        SortedMap<String, String> all = new TreeMap<>(durability.variables());
        if (workingSetPool.isPresent()) {
            all.putAll(OF_A_WORKING_SET);
            all.put(CHUNK, Long.toString(WorkingSet.chunkBytes(workingSetPool.get())));
        }
        asked.forEach((name, value) -> {
            all.remove(name.replaceFirst("^" + LOOSE, ""));
            all.put(name, value);
        });
        all.remove(POOL);
        return all;
    }

    /** The variable that a factor sets; empty for factors of other kinds. */
    public static Optional<String> variableOf(String factor) {
        return VARIABLES.has(factor) ? Optional.of(factor.substring(PREFIX.length())) : Optional.empty();
    }

    /** Whether a server with this variable reads the pages at its start that it had at its end. */
    public static boolean loadsThePool(String name, String value) {
        return name.replaceFirst("^" + LOOSE, "").equals("innodb_buffer_pool_load_at_startup") && isOn(value);
    }

    /**
     * This environment as far as files in a directory allow it: reads go around the system's memory where the file system can
     * do that, and else through it, which the server's variables then say.
     *
     * @param directory that is, or will be made
     */
    public Environment in(Path directory) throws IOException {
        return asked.containsKey(FLUSH_METHOD) || readsDirectly(directory)
                ? this
                : new Environment(
                        durability, storage, workingSetPool, cpu, with(asked, FLUSH_METHOD, "fsync"), ofLayout);
    }

    /** Whether files can be opened there with O_DIRECT; tried on one. */
    private static boolean readsDirectly(Path directory) throws IOException {
        Path there = directory.toAbsolutePath();
        while (!Files.exists(there)) {
            there = there.getParent();
        }
        Path probe = Files.createTempFile(there, "blobmark-direct-", "");
        try (FileChannel opened = FileChannel.open(probe, StandardOpenOption.READ, direct())) {
            return opened.isOpen();
        } catch (IOException | UnsupportedOperationException | ReflectiveOperationException e) {
            return false;
        } finally {
            Files.delete(probe);
        }
    }

    /** By its name, since compilers warn of the class, which is the JDK's own. */
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
     * Compares what was asked for with what the server says it has.
     *
     * @param effective the server's global variables
     * @throws ServerException if it rounded a value, or passed over one
     */
    public void verify(Map<String, String> effective) {
        List<String> differing = new ArrayList<>();
        SortedMap<String, String> wanted = with(variables(), POOL, Long.toString(bufferPoolBytes()));
        wanted.remove(CHUNK);
        wanted.forEach((name, value) -> {
            String plain = name.replaceFirst("^" + LOOSE, "");
            String is = effective.get(plain);
            if (is == null ? name.equals(plain) : !isSame(value, is)) {
                differing.add(
                        is == null
                                ? "there is no variable " + plain + " to read back"
                                : plain + " is " + is + ", not " + value);
            }
        });
        if (!differing.isEmpty()) {
            throw new ServerException("the server does not have the variables that it was started with: "
                    + String.join("; ", differing) + ". Ask for what it has, or leave the factor out.");
        }
    }

    private static boolean isSame(String asked, String is) {
        Optional<BigDecimal> amount = amount(asked);
        return asked.equalsIgnoreCase(is)
                || amount.isPresent()
                        && amount(is)
                                .filter(other -> other.compareTo(amount.get()) == 0)
                                .isPresent()
                || isSwitch(asked) && isSwitch(is) && isOn(asked) == isOn(is);
    }

    /** A number, with one of the suffixes that option files know. */
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

    /** What is not usual in it: {@code durability=none,pool=64MiB}; empty where all is. */
    @Override
    public String toString() {
        TreeMap<String, String> unusual = new TreeMap<>();
        unusual.put(Durability.FACTOR.name(), durability.word());
        unusual.put(Storage.FACTOR.name(), storage.toString());
        unusual.put(CpuShare.FACTOR.name(), cpu.toString());
        for (Factor<?> factor : List.of(Durability.FACTOR, Storage.FACTOR, CpuShare.FACTOR)) {
            unusual.remove(factor.name(), factor.defaultLevel().orElseThrow());
        }
        workingSetPool.ifPresent(bytes -> unusual.put("pool", (bytes >> 20) + "MiB"));
        asked.forEach((name, value) -> unusual.put(PREFIX + name, value));
        ofLayout.forEach((name, value) -> unusual.put(PREFIX + name, value));
        return Levels.of(unusual).toString();
    }
}
