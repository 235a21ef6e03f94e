package dev.blobmark.lab.server.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.server.ServerVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data directories that are kept for later servers. Which servers begin with one: {@link InstalledMySqlIT}. */
class DataTemplateTest {

    @TempDir
    private Path cache;

    private Path made;

    @BeforeEach
    void makeData() throws IOException {
        made = Files.createDirectories(cache.resolve("made"));
        byte[] random = new byte[300_000];
        new Random(42).nextBytes(random);
        Files.write(made.resolve("ibdata1"), random);
        Files.write(Files.createDirectory(made.resolve("mysql")).resolve("t.ibd"), new byte[200_000]);
        Files.writeString(made.resolve("auto.cnf"), "server-uuid=1");
    }

    private DataTemplate template(String... contents) {
        return DataTemplate.of(cache, List.of(contents), path -> !path.endsWith("auto.cnf"));
    }

    private Path empty(String name) throws IOException {
        return Files.createDirectory(cache.resolve(name));
    }

    private void assertIsComplete(Path data) {
        assertThat(data.resolve("ibdata1")).hasSameBinaryContentAs(made.resolve("ibdata1"));
        assertThat(data.resolve("mysql/t.ibd")).hasSameBinaryContentAs(made.resolve("mysql/t.ibd"));
        assertThat(data.resolve("auto.cnf")).doesNotExist();
    }

    private List<String> kept() throws IOException {
        try (Stream<Path> files = Files.list(cache.resolve("templates"))) {
            return files.map(path -> path.getFileName().toString()).toList();
        }
    }

    @Test
    void onlyWhatDependsOnTheSameBeginsWithIt() throws Exception {
        template("9.7.4", "pages of 16 KB").pack(made);
        assertThat(template("9.7.4", "pages of 16 KB").unpack(empty("same"))).isTrue();
        assertIsComplete(cache.resolve("same"));
        assertThat(template("9.7.4", "pages of 4 KB").unpack(empty("other"))).isFalse();
        assertThat(cache.resolve("other")).isEmptyDirectory();
    }

    @Test
    void aDamagedOneIsRemovedAndNothingOfItStays() throws Exception {
        DataTemplate template = template("");
        template.pack(made);
        byte[] whole = Files.readAllBytes(template.file());
        byte[] changed = whole.clone();
        changed[whole.length / 2] ^= 1;
        for (byte[] damaged : List.of(changed, Arrays.copyOf(whole, whole.length / 2))) {
            Files.write(template.file(), damaged);
            Path data = empty("data" + damaged.length + (damaged == changed));
            assertThat(template.unpack(data)).isFalse();
            assertThat(data).isEmptyDirectory();
            assertThat(template.file()).doesNotExist();
        }
    }

    @Test
    void whatAKilledOneLeftIsNeverUsedAndIsRemoved() throws Exception {
        DataTemplate template = template("");
        Path unfinished = Files.createDirectory(cache.resolve("templates"))
                .resolve(template.file().getFileName() + ".unfinished");
        Files.writeString(unfinished, "PK");
        assertThat(template.unpack(empty("before"))).isFalse();
        template.pack(made);
        assertThat(unfinished).doesNotExist();
        assertThat(template.unpack(empty("after"))).isTrue();
    }

    @Test
    void severalMayMakeAndUseItAtOnce() throws Exception {
        DataTemplate template = template("");
        template.pack(made);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> packed = new ArrayList<>();
            List<Future<Boolean>> unpacked = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Path data = empty("data" + i);
                packed.add(threads.submit(() -> template.pack(made)));
                unpacked.add(threads.submit(() -> template.unpack(data)));
            }
            for (int i = 0; i < 20; i++) {
                packed.get(i).get();
                assertThat(unpacked.get(i).get()).isTrue();
                assertIsComplete(cache.resolve("data" + i));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void thoseUsedLastAreKept() throws Exception {
        List<DataTemplate> templates = IntStream.range(0, 10)
                .mapToObj(i -> template(Integer.toString(i)))
                .toList();
        for (int i = 0; i < 8; i++) {
            templates.get(i).pack(made);
            assertThat(templates.get(i).file().toFile().setLastModified(1_000_000L + i * 1000))
                    .isTrue();
        }
        assertThat(templates.get(0).unpack(empty("used"))).isTrue();
        templates.get(8).pack(made);
        templates.get(9).pack(made);
        assertThat(templates)
                .filteredOn(template -> !Files.exists(template.file()))
                .containsExactly(templates.get(1), templates.get(2));
        assertThat(kept()).hasSize(8 + 1).contains("lock");
    }

    @Test
    void thatItCannotBeKeptIsNoFailure() throws Exception {
        Files.writeString(cache.resolve("templates"), "a file, where the directory would be");
        DataTemplate template = template("");
        template.pack(made);
        assertThat(template.unpack(empty("data"))).isFalse();
    }

    @Test
    void aTemplateOfMySqlIsOneForWhatDecidesItsFiles() throws Exception {
        Path program = Files.writeString(cache.resolve("mysqld"), "program");
        MysqlBinaries binaries = new MysqlBinaries(cache, program, cache, new ServerVersion(9, 7, 4));
        Path one = binaries.template(cache, Map.of("innodb_doublewrite", "ON"), made)
                .orElseThrow()
                .file();
        Map<String, String> more = Map.of(
                "innodb_doublewrite", "OFF", "loose_innodb_buffer_pool_chunk_size", "1048576", "sync_binlog", "0");
        assertThat(binaries.template(cache, more, made).orElseThrow().file()).isEqualTo(one);
        for (String deciding : List.of("innodb_page_size", "lower_case_table_names", "innodb_undo_tablespaces")) {
            assertThat(binaries.template(cache, Map.of(deciding, "1"), made)
                            .orElseThrow()
                            .file())
                    .as(deciding)
                    .isNotEqualTo(one);
        }
        Files.writeString(program, "another program");
        assertThat(binaries.template(cache, Map.of(), made).orElseThrow().file())
                .isNotEqualTo(one);
        assertThat(new MysqlBinaries(cache, program, cache, new ServerVersion(8, 0, 29))
                        .template(cache, Map.of(), made))
                .isEmpty();
    }
}
