package dev.blobmark.lab.plan;

import dev.blobmark.lab.dataset.Dataset;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.dataset.Rows;
import dev.blobmark.lab.dataset.Values;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.environment.Pool;
import dev.blobmark.lab.store.Layout;
import dev.blobmark.lab.store.LoadOrder;
import dev.blobmark.lab.store.StoreKind;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.store.kind.StoreKinds;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Size;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
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
public record Block(int number, Environment environment, List<Trial> trials, List<Levels> stores) {

    /** A block is closed when the values of its tables, as the application sees them, take so many bytes. */
    public static final long MAX_APPLICATION_BYTES = 2L << 30;

    /** The same of tables in the memory of a cluster, which its replicas take twice and parts and pages do not fill. */
    static final long MAX_CLUSTERED_BYTES = 256L << 20;

    /** The same of sets, which take two to six times as much in memory, so that their sizes can be compared round by round. */
    static final long MAX_SET_BYTES = 512L << 20;

    /** In characters, of MySQL and MariaDB. */
    private static final int MAX_NAME_LENGTH = 64;

    /** The factors that decide what lies in a table: trials that agree on them share it. */
    private static final Set<String> STORED = Factors.VOCABULARY.shaping(Factor.Shape.STORE);

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
                        .filter(Block::usesTable)
                        .map(Block::store)
                        .distinct()
                        .toList());
    }

    /**
     * Which values a trial works on: those of two trials with equal sources are the same.
     *
     * @param size of each in bytes, 0 where the sizes are the dataset's own
     * @param rows how many, 0 for as many as the dataset gives
     */
    public record Source(String dataset, int size, int rows) {

        public static Source of(Levels levels) {
            Dataset dataset = Datasets.FACTOR.of(levels);
            return new Source(
                    dataset.id(),
                    dataset.hasSize() ? Size.FACTOR.of(levels).bytes() : 0,
                    Rows.FACTOR.of(levels).orElse(0));
        }

        /** {@code sites 64KB}, {@code sites 1KB rows=50000}. */
        @Override
        public String toString() {
            return dataset + (size == 0 ? "" : " " + new Size(size)) + (rows == 0 ? "" : " rows=" + rows);
        }

        public Dataset kind() {
            return Datasets.parse(dataset);
        }

        /** Where its values are kept when they are encoded: no copy of a user's own outlives the run. */
        public Path directory(Path shared, Path scratch) {
            return kind().isPrivate() ? scratch : shared;
        }

        public Values values(long seed) {
            return values(kind(), seed);
        }

        /** @param its the dataset, where it is not found by its name alone */
        public Values values(Dataset its, long seed) {
            return rows == 0 ? its.values(size, seed) : its.values(size, seed, rows);
        }
    }

    /** Values under a codec, by its id. */
    public record Encoding(Source source, String codec) {

        private static final String RAW = StoredCodec.FACTOR.defaultLevel().orElseThrow();

        public static Encoding of(Levels levels) {
            return new Encoding(Source.of(levels), StoredCodec.FACTOR.levelIn(levels));
        }

        /** {@code sites 64KB as zstd:3}. */
        @Override
        public String toString() {
            return source + " as " + codec;
        }

        public boolean isRaw() {
            return codec.equals(RAW);
        }
    }

    /** The levels that name the table a trial works on: all of them where it is its own. */
    public static Levels store(Trial trial) {
        return start(trial) == Workload.Start.SHARED ? trial.levels().only(STORED::contains) : trial.levels();
    }

    private static Workload.Start start(Trial trial) {
        return Workload.FACTOR.of(trial.levels()).start();
    }

    /** Whether a trial has a table of its own, that is made anew for each of its windows. */
    public static boolean hasOwnTable(Trial trial) {
        return start(trial) != Workload.Start.SHARED;
    }

    /** Whether a trial writes to a server that keeps its tables on disk; a cluster keeps them in memory. */
    public static boolean writesToDisk(Trial trial) {
        return hasOwnTable(trial) && !Layout.FACTOR.of(trial.levels()).isClustered();
    }

    /** Whether a trial's windows are to find nothing of its table in the buffer pool. */
    public static boolean isCold(Trial trial) {
        return Pool.FACTOR.of(trial.levels()) == Pool.COLD;
    }

    /** Whether one of the trials on a table is so. */
    public boolean isReadCold(Levels store) {
        return trials.stream().anyMatch(trial -> isCold(trial) && store(trial).equals(store));
    }

    /** The kind of store that a trial works on, or that a store is of. */
    public static StoreKind kind(Levels store) {
        return StoreKinds.FACTOR.of(store);
    }

    public static boolean usesTable(Trial trial) {
        return Workload.FACTOR.of(trial.levels()).usesTable();
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
    public static List<Block> of(List<Trial> trials, long seed, Function<Source, Values> values) {
        Map<Source, Long> bytes = new HashMap<>();
        Environments environments = new Environments(
                source -> bytes.computeIfAbsent(source, its -> values.apply(its).totalLength()));
        Map<Trial, Environment> needed = new LinkedHashMap<>();
        trials.stream().filter(Block::usesTable).forEach(trial -> needed.put(trial, environments.of(trial.levels())));
        // what needs no server goes where there is one
        Environment any = needed.values().stream().findFirst().orElse(Environment.USUAL);
        Map<Environment, Map<Source, List<Trial>>> byEnvironment = trials.stream()
                .collect(Collectors.groupingBy(
                        trial -> needed.getOrDefault(trial, any),
                        LinkedHashMap::new,
                        Collectors.groupingBy(
                                trial -> Source.of(trial.levels()), LinkedHashMap::new, Collectors.toList())));
        List<Block> groups = new ArrayList<>();
        byEnvironment.forEach((environment, bySource) ->
                grouped(bySource, values).forEach(group -> groups.add(new Block(0, environment, group))));
        Collections.shuffle(groups, new Random(Seeds.mix(seed, -1)));
        return IntStream.range(0, groups.size())
                .mapToObj(number -> groups.get(number).numbered(number))
                .toList();
    }

    /** Trials whose tables fit a disk together, or whose sets fit memory; never both in one. */
    private static List<List<Trial>> grouped(Map<Source, List<Trial>> bySource, Function<Source, Values> values) {
        List<List<Trial>> groups = new ArrayList<>();
        long room = 0;
        boolean ofSets = false;
        for (var source : bySource.entrySet()) {
            long tables = source.getValue().stream()
                    .filter(Block::usesTable)
                    .map(Block::store)
                    .distinct()
                    .count();
            long bytes = tables * values.apply(source.getKey()).totalLength();
            boolean isClustered = source.getValue().stream()
                    .anyMatch(trial -> Layout.FACTOR.of(trial.levels()).isClustered());
            boolean isSet = source.getValue().stream().anyMatch(trial -> LoadOrder.isOfSet(store(trial)));
            if (groups.isEmpty() || bytes > room || isSet != ofSets) {
                groups.add(new ArrayList<>());
                ofSets = isSet;
                room = isSet ? MAX_SET_BYTES : isClustered ? MAX_CLUSTERED_BYTES : MAX_APPLICATION_BYTES;
            }
            groups.get(groups.size() - 1).addAll(source.getValue());
            room -= bytes;
        }
        return groups;
    }

    private Block numbered(int its) {
        return new Block(its, environment, trials, stores);
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
    public List<Levels> used() {
        Set<Levels> used =
                trials.stream().filter(Block::usesTable).map(Block::store).collect(Collectors.toSet());
        return stores.stream().filter(used::contains).toList();
    }

    /** A table's name: its number in the block and, as far as a name may go, what lies in it. */
    public String tableName(Levels store) {
        Set<String> named = new HashSet<>(STORED);
        if (Rows.FACTOR.of(store).isEmpty()) {
            named.remove(Rows.FACTOR.name());
        }
        String name = String.format(Locale.ROOT, "t%02d_", stores.indexOf(store) + 1)
                + String.join("_", store.only(named::contains).byFactor().values())
                        .replaceAll("[^A-Za-z0-9]+", "_");
        return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
    }

    String ddl(String schema, Levels store) {
        return kind(store).ddl(schema, tableName(store), store);
    }

    /** The stores that are loaded before the block is measured, and shared by trials that only read. */
    public List<Levels> shared() {
        Set<Levels> own =
                trials.stream().filter(Block::hasOwnTable).map(Block::store).collect(Collectors.toSet());
        return used().stream().filter(store -> !own.contains(store)).toList();
    }

    /** The encoded values that the block needs, those as they are among them: encoders read them from there. */
    public List<Encoding> encodings() {
        return Stream.concat(
                        sources().stream().map(source -> new Encoding(source, Encoding.RAW)),
                        trials.stream().map(trial -> Encoding.of(trial.levels())))
                .distinct()
                .toList();
    }

    List<Source> sources() {
        return trials.stream().map(t -> Source.of(t.levels())).distinct().toList();
    }
}
