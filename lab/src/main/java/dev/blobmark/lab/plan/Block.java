package dev.blobmark.lab.plan;

import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.study.Trial;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Trials that are measured without restarting the server or loading other tables, and so are compared round by round.
 * All methods of a condition that can share a server are in one block. The blocks of a large study are loaded one after
 * another, so that their tables fit on the disk.
 *
 * @param number from 0; without passes, blocks run in this order
 * @param environment of the server that has the tables
 * @param stores the tables of the block, in the order in which trials first use them
 */
public record Block(int number, Environment environment, List<Trial> trials, List<StoreDesign> stores) {

    /** Limit of the application bytes of a block with tables of several sources; stores may have a lower limit. */
    public static final long MAX_APPLICATION_BYTES = 2L << 30;

    /** The same limit for sets, which need two to six times as much memory. */
    static final long MAX_SET_BYTES = 512L << 20;

    /**
     * In characters. MySQL and MariaDB accept 64, but {@code ndbinfo.blobs} has only the first 63 of a table's name
     * (MySQL Cluster 9.7.4).
     */
    private static final int MAX_NAME_LENGTH = 63;

    /** A block on a server with the default environment. */
    public Block(int number, List<Trial> trials) {
        this(number, Environment.DEFAULT, trials);
    }

    public Block(int number, Environment environment, List<Trial> trials) {
        this(
                number,
                environment,
                List.copyOf(trials),
                trials.stream()
                        .filter(StoreDesign::isUsedBy)
                        .map(StoreDesign::of)
                        .distinct()
                        .toList());
    }

    /** Whether a trial writes to a table on disk. A cluster keeps its tables in memory. */
    public static boolean writesToDisk(Trial trial) {
        return StoreDesign.isOwnedBy(trial) && StoreDesign.of(trial).costs().isOnDisk();
    }

    /** Whether a trial's windows begin with a cold buffer pool. */
    public static boolean isCold(Trial trial) {
        return trial.design().get(Pool.FACTOR) == Pool.COLD;
    }

    /** Whether one of the trials on a table begins with a cold buffer pool. */
    public boolean isReadCold(StoreDesign store) {
        return trials.stream()
                .anyMatch(trial -> isCold(trial) && StoreDesign.of(trial).equals(store));
    }

    /**
     * Splits a study's trials into blocks, in an order drawn from the seed.
     *
     * @throws IllegalArgumentException if no server can have the environment of a trial; the message has the remedy
     */
    public static List<Block> of(List<Trial> trials, long seed) {
        return of(trials, seed, source -> source.values(seed));
    }

    /** @param values returns the values of a source */
    public static List<Block> of(List<Trial> trials, long seed, Function<ValuesSource, Values> values) {
        Map<ValuesSource, Long> bytes = new HashMap<>();
        Environments environments = new Environments(
                source -> bytes.computeIfAbsent(source, key -> values.apply(key).totalLength()));
        Map<Trial, Environment> needed = new LinkedHashMap<>();
        trials.stream()
                .filter(StoreDesign::isUsedBy)
                .forEach(trial -> needed.put(trial, environments.of(trial.design())));
        // trials without a store need no environment of their own
        Environment any = needed.values().stream().findFirst().orElse(Environment.DEFAULT);
        Map<Environment, Map<ValuesSource, List<Trial>>> byEnvironment = trials.stream()
                .collect(Collectors.groupingBy(
                        trial -> needed.getOrDefault(trial, any),
                        LinkedHashMap::new,
                        Collectors.groupingBy(
                                trial -> ValuesSource.of(trial.design()), LinkedHashMap::new, Collectors.toList())));
        List<Block> groups = new ArrayList<>();
        byEnvironment.forEach((environment, bySource) ->
                grouped(bySource, values).forEach(group -> groups.add(new Block(0, environment, group))));
        Collections.shuffle(groups, new Random(Seeds.mix(seed, -1)));
        return IntStream.range(0, groups.size())
                .mapToObj(number -> groups.get(number).numbered(number))
                .toList();
    }

    /** Groups of trials whose tables or sets are within the limits. No group has both tables and sets. */
    private static List<List<Trial>> grouped(
            Map<ValuesSource, List<Trial>> bySource, Function<ValuesSource, Values> values) {
        List<List<Trial>> groups = new ArrayList<>();
        long remainingBytes = 0;
        boolean isGroupOfSets = false;
        for (var source : bySource.entrySet()) {
            long tables = source.getValue().stream()
                    .filter(StoreDesign::isUsedBy)
                    .map(StoreDesign::of)
                    .distinct()
                    .count();
            long bytes = tables * values.apply(source.getKey()).totalLength();
            boolean isSet = source.getValue().stream()
                    .anyMatch(trial -> StoreDesign.of(trial).isSet());
            if (groups.isEmpty() || bytes > remainingBytes || isSet != isGroupOfSets) {
                groups.add(new ArrayList<>());
                isGroupOfSets = isSet;
                remainingBytes = isSet ? MAX_SET_BYTES : blockBytes(source.getValue());
            }
            groups.get(groups.size() - 1).addAll(source.getValue());
            remainingBytes -= bytes;
        }
        return groups;
    }

    private static long blockBytes(List<Trial> trials) {
        return trials.stream()
                .filter(StoreDesign::isUsedBy)
                .mapToLong(trial -> StoreDesign.of(trial).costs().blockBytes())
                .min()
                .orElse(MAX_APPLICATION_BYTES);
    }

    private Block numbered(int position) {
        return new Block(position, environment, trials, stores);
    }

    /** Whether blocks need different environments. The study is then measured in passes. */
    public static boolean needPasses(List<Block> blocks) {
        return blocks.stream().map(Block::environment).distinct().count() > 1;
    }

    /** The blocks in the order in which a pass measures them, drawn from the seed. */
    public static List<Block> inPass(List<Block> blocks, int pass, long seed) {
        List<Block> order = new ArrayList<>(blocks);
        Collections.shuffle(order, new Random(Seeds.mix(seed, -2, pass)));
        return order;
    }

    /** This block with some of its trials. The names of tables do not change. */
    public Block only(Collection<Trial> some) {
        return new Block(
                number, environment, trials.stream().filter(some::contains).toList(), stores);
    }

    /** The stores that the trials use: all stores, unless {@link #only} has removed trials. */
    public List<StoreDesign> usedStores() {
        Set<StoreDesign> used = trials.stream()
                .filter(StoreDesign::isUsedBy)
                .map(StoreDesign::of)
                .collect(Collectors.toSet());
        return stores.stream().filter(used::contains).toList();
    }

    /** A table's name: its number in the block and its content, cut to {@value #MAX_NAME_LENGTH} characters. */
    public String tableName(StoreDesign store) {
        String name = String.format(Locale.ROOT, "t%02d_", stores.indexOf(store) + 1) + store.nameSuffix();
        return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
    }

    String ddl(String schema, StoreDesign store) {
        return store.ddl(schema, tableName(store));
    }

    /** The stores of trials that only read. They are loaded before the block is measured. */
    public List<StoreDesign> sharedStores() {
        Set<StoreDesign> own = trials.stream()
                .filter(StoreDesign::isOwnedBy)
                .map(StoreDesign::of)
                .collect(Collectors.toSet());
        return usedStores().stream().filter(store -> !own.contains(store)).toList();
    }

    /** The encodings that the block needs, including the raw values, which encoders read. */
    public List<Encoding> encodings() {
        return Stream.concat(
                        sources().stream().map(source -> Encoding.raw(source)),
                        trials.stream().map(trial -> Encoding.of(trial.design())))
                .distinct()
                .toList();
    }

    List<ValuesSource> sources() {
        return trials.stream().map(t -> ValuesSource.of(t.design())).distinct().toList();
    }
}
