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
 * The trials that run without the server being started or loaded anew, and so can be compared round by round. All methods of one
 * condition that can share a server are in one block; the blocks of a large study are loaded one after another, so that it fits
 * the disk.
 *
 * @param number from 0, in the order in which blocks run where there are no passes
 * @param environment of the server that its tables are on
 * @param stores the tables of the block, in the order in which trials first need them
 */
public record Block(int number, Environment environment, List<Trial> trials, List<StoreDesign> stores) {

    /** The most application bytes of the tables of several sources in one block, where their stores set no lower bound. */
    public static final long MAX_APPLICATION_BYTES = 2L << 30;

    /** The same of sets, which take two to six times as much in memory, so that their sizes can be compared round by round. */
    static final long MAX_SET_BYTES = 512L << 20;

    /** In characters, of MySQL and MariaDB. */
    private static final int MAX_NAME_LENGTH = 64;

    /** A block on a server that nothing is asked of. */
    public Block(int number, List<Trial> trials) {
        this(number, Environment.USUAL, trials);
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

    /** Whether a trial writes to a server that keeps its tables on disk; a cluster keeps them in memory. */
    public static boolean writesToDisk(Trial trial) {
        return StoreDesign.isOwnedBy(trial) && StoreDesign.of(trial).costs().isOnDisk();
    }

    /** Whether a trial's windows are to find nothing of its table in the buffer pool. */
    public static boolean isCold(Trial trial) {
        return trial.design().get(Pool.FACTOR) == Pool.COLD;
    }

    /** Whether one of the trials on a table is so. */
    public boolean isReadCold(StoreDesign store) {
        return trials.stream()
                .anyMatch(trial -> isCold(trial) && StoreDesign.of(trial).equals(store));
    }

    /**
     * Splits a study's trials into blocks, in an order drawn from the seed.
     *
     * @throws IllegalArgumentException if a trial asks for what no server takes, with the mend
     */
    public static List<Block> of(List<Trial> trials, long seed) {
        return of(trials, seed, source -> source.values(seed));
    }

    /** @param values of a source */
    public static List<Block> of(List<Trial> trials, long seed, Function<ValuesSource, Values> values) {
        Map<ValuesSource, Long> bytes = new HashMap<>();
        Environments environments = new Environments(
                source -> bytes.computeIfAbsent(source, key -> values.apply(key).totalLength()));
        Map<Trial, Environment> needed = new LinkedHashMap<>();
        trials.stream()
                .filter(StoreDesign::isUsedBy)
                .forEach(trial -> needed.put(trial, environments.of(trial.design())));
        // what needs no server goes where there is one
        Environment any = needed.values().stream().findFirst().orElse(Environment.USUAL);
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

    /** Trials whose tables fit a disk together, or whose sets fit memory; never both in one. */
    private static List<List<Trial>> grouped(
            Map<ValuesSource, List<Trial>> bySource, Function<ValuesSource, Values> values) {
        List<List<Trial>> groups = new ArrayList<>();
        long room = 0;
        boolean ofSets = false;
        for (var source : bySource.entrySet()) {
            long tables = source.getValue().stream()
                    .filter(StoreDesign::isUsedBy)
                    .map(StoreDesign::of)
                    .distinct()
                    .count();
            long bytes = tables * values.apply(source.getKey()).totalLength();
            boolean isSet = source.getValue().stream()
                    .anyMatch(trial -> StoreDesign.of(trial).isSet());
            if (groups.isEmpty() || bytes > room || isSet != ofSets) {
                groups.add(new ArrayList<>());
                ofSets = isSet;
                room = isSet ? MAX_SET_BYTES : blockBytes(source.getValue());
            }
            groups.get(groups.size() - 1).addAll(source.getValue());
            room -= bytes;
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

    /** Whether the server has to be restarted between some of the blocks: the study is then measured in passes. */
    public static boolean needPasses(List<Block> blocks) {
        return blocks.stream().map(Block::environment).distinct().count() > 1;
    }

    /** The blocks in the order in which a pass measures them, drawn from the seed. */
    public static List<Block> inPass(List<Block> blocks, int pass, long seed) {
        List<Block> order = new ArrayList<>(blocks);
        Collections.shuffle(order, new Random(Seeds.mix(seed, -2, pass)));
        return order;
    }

    /** The block with some of its trials; its tables keep their names. */
    public Block only(Collection<Trial> some) {
        return new Block(
                number, environment, trials.stream().filter(some::contains).toList(), stores);
    }

    /** The stores that its trials use: all, unless some trials have been left out. */
    public List<StoreDesign> used() {
        Set<StoreDesign> used = trials.stream()
                .filter(StoreDesign::isUsedBy)
                .map(StoreDesign::of)
                .collect(Collectors.toSet());
        return stores.stream().filter(used::contains).toList();
    }

    /** A table's name: its number in the block and, as far as a name may go, what lies in it. */
    public String tableName(StoreDesign store) {
        String name = String.format(Locale.ROOT, "t%02d_", stores.indexOf(store) + 1) + store.nameSuffix();
        return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
    }

    String ddl(String schema, StoreDesign store) {
        return store.ddl(schema, tableName(store));
    }

    /** The stores that are loaded before the block is measured, and shared by trials that only read. */
    public List<StoreDesign> shared() {
        Set<StoreDesign> own = trials.stream()
                .filter(StoreDesign::isOwnedBy)
                .map(StoreDesign::of)
                .collect(Collectors.toSet());
        return used().stream().filter(store -> !own.contains(store)).toList();
    }

    /** The encoded values that the block needs, those as they are among them: encoders read them from there. */
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
