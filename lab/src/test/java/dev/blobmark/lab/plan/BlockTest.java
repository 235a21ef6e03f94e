package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Studies;
import dev.blobmark.lab.study.Trial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockTest {

    private static final List<Trial> FULL =
            Studies.read("blob-fetch", Factors.VOCABULARY, Optional.of("full")).trials(Factors.VOCABULARY);

    @Test
    void hasAllMethodsOfEachOfItsConditions() {
        Map<Levels, Integer> blocks = new HashMap<>();
        for (Block block : Block.of(FULL, 42)) {
            for (Trial trial : block.trials()) {
                assertThat(blocks.merge(trial.condition(), block.number(), (a, b) -> a.equals(b) ? a : -1))
                        .as("block of %s", trial.condition())
                        .isEqualTo(block.number());
            }
        }
    }

    @Test
    void eachTrialIsInOneBlock() {
        List<Block> blocks = Block.of(FULL, 42);

        assertThat(blocks).extracting(Block::number).isSorted().startsWith(0).doesNotHaveDuplicates();
        List<Trial> trials =
                blocks.stream().flatMap(block -> block.trials().stream()).toList();
        assertThat(trials).hasSameSizeAs(FULL);
        assertThat(Set.copyOf(trials)).hasSameSizeAs(FULL).isEqualTo(Set.copyOf(FULL));
    }

    @Test
    void tablesOfABlockFitADiskUnlessOneConditionAloneDoesNot() {
        for (Block block : Block.of(FULL, 42)) {
            Map<ValuesSource, Long> tables =
                    block.stores().stream().collect(Collectors.groupingBy(StoreDesign::source, Collectors.counting()));
            long bytes = tables.entrySet().stream()
                    .mapToLong(e -> e.getValue() * e.getKey().values(42).totalLength())
                    .sum();
            assertThat(bytes).as("bytes of %s", tables.keySet()).isLessThanOrEqualTo(2L << 30);
        }
    }

    /**
     * Sets lie in memory, in MySQL's and in Redis's: there are as many at a time as fit, in whatever order they were
     * loaded.
     */
    @Test
    void setsOfABlockFitMemoryUnlessOneAloneDoesNot() {
        List<Trial> trials = Studies.read("set-membership", Factors.VOCABULARY, Optional.of("full"))
                .trials(Factors.VOCABULARY);

        List<Block> blocks = Block.of(trials, 42);

        assertThat(blocks.stream().flatMap(block -> block.sources().stream()))
                .hasSize(2 * 3)
                .doesNotHaveDuplicates();
        assertThat(blocks).hasSizeLessThan(2 * 3).allSatisfy(block -> {
            long bytes = block.stores().stream()
                    .mapToLong(store -> store.source().values(42).totalLength())
                    .sum();
            assertThat(block.sources().size() == 1 || bytes <= Block.MAX_SET_BYTES)
                    .isTrue();
        });
    }

    @Test
    void setsThatClaimsCompareAreSideBySide() {
        List<Trial> trials = Studies.read("set-membership", Factors.VOCABULARY, Optional.of("claims"))
                .trials(Factors.VOCABULARY);

        assertThat(Block.of(trials, 42)).hasSize(1);
    }

    @Test
    void orderIsDrawnFromTheSeed() {
        List<Block> blocks = Block.of(FULL, 42);

        assertThat(Block.of(FULL, 42)).isEqualTo(blocks);
        assertThat(Block.of(FULL, 43).get(0).trials())
                .isNotEqualTo(blocks.get(0).trials());
        assertThat(Set.copyOf(Block.of(FULL, 43).stream().map(Block::trials).toList()))
                .isEqualTo(Set.copyOf(blocks.stream().map(Block::trials).toList()));
    }

    @Test
    void trialsThatStoreTheSameShareATable() {
        List<Trial> quick =
                Studies.read("blob-fetch", Factors.VOCABULARY, Optional.empty()).trials(Factors.VOCABULARY);
        List<Block> blocks = Block.of(quick, 42);
        long fetches = quick.stream().filter(StoreDesign::isUsedBy).count();

        List<StoreDesign> stores =
                blocks.stream().flatMap(block -> block.stores().stream()).toList();

        // of each size the method mysql-uncompress reads the table of mysql
        assertThat(stores).doesNotHaveDuplicates().hasSize((int) fetches - 3);
        for (Block block : blocks) {
            assertThat(block.stores().stream().map(block::tableName)).doesNotHaveDuplicates();
        }
    }

    @Test
    void aStoreSaysWhereValuesAreLoaded() {
        Map<String, String> levels = new TreeMap<>(
                Map.of("workload", "fetch", "dataset", "sites", "size", "4KB", "codec", "zstd:3", "layout", "dynamic"));
        assertThat(place(levels)).isEqualTo("MySQL");
        assertThat(place(with(levels, "layout", "compressed:8"))).isEqualTo("MySQL, layout=compressed:8");
        levels.remove("layout");
        assertThat(place(with(with(levels, "store", "postgresql"), "toast", "external")))
                .isEqualTo("PostgreSQL, toast=external");
    }

    private static Map<String, String> with(Map<String, String> levels, String factor, String level) {
        Map<String, String> more = new TreeMap<>(levels);
        more.put(factor, level);
        return more;
    }

    private static String place(Map<String, String> levels) {
        return StoreDesign.of(new Trial("t", "m", Levels.of(levels), Levels.of(Map.of())))
                .place();
    }

    /**
     * The names of MySQL's tables have at most 64 characters; a directory's name may be longer, and is nobody's
     * business.
     */
    @Test
    void tableNamesAreValidWhateverTheDataset(@TempDir Path directory) throws Exception {
        Path values = Files.createDirectories(directory.resolve("a long name of a directory, ünïcödé".repeat(3)));
        Files.write(values.resolve("value"), new byte[10]);
        Set<String> names = new HashSet<>();
        List<Trial> trials = List.of("none", "gzip:6", "zlib:6+len").stream()
                .map(codec -> new Trial(
                        codec,
                        codec,
                        Levels.of(
                                Map.of("store", "mysql", "layout", "dynamic", "column", "mediumblob", "codec", codec)),
                        Levels.of(Map.of("workload", "fetch", "dataset", "dir:" + values))))
                .toList();

        Block block = Block.of(trials, 42).get(0);
        for (StoreDesign store : block.stores()) {
            assertThat(block.tableName(store)).matches("[A-Za-z0-9_]{1,63}");
            names.add(block.tableName(store));
        }

        assertThat(names).hasSize(3);
    }
}
