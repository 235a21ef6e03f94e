package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The user's own values from the command line to the answer, without the name of a study. */
@Tag("long")
class OwnDataIT {

    private static final List<String> SHORT = List.of(
            "--out=run", "--rounds=2", "--forks=1", "--time=50ms", "--warm-up=50ms", "--pin=none", "--no-keep-awake");

    @TempDir
    private Path directory;

    private BlobmarkProcess start(Map<String, String> environment, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of("run", "--details"));
        all.addAll(List.of(args));
        all.addAll(SHORT);
        return BlobmarkProcess.start(directory, environment, all.toArray(String[]::new));
    }

    private void writeOrders() throws IOException {
        Files.writeString(
                directory.resolve("orders.jsonl"),
                IntStream.range(0, 50)
                        .mapToObj(i -> "{\"zeta\":" + i + ",\"text\":\"" + "\u00e4b".repeat(20 * i) + "\"}\n")
                        .collect(Collectors.joining()));
    }

    private Manifest manifest() {
        return RunDirectory.open(directory.resolve("run")).manifest();
    }

    private String columnOf(String codec) {
        return manifest().stores().stream()
                .filter(store -> store.factors().byFactor().get("codec").startsWith(codec)
                        && store.factors().byFactor().get("layout").equals("dynamic"))
                .map(LoadedStore::factors)
                .findFirst()
                .orElseThrow()
                .byFactor()
                .get("column");
    }

    @Test
    void linesOfAFileAreMeasuredAsJsonOfMariaDb() throws Exception {
        writeOrders();
        try (BlobmarkProcess run = start(Map.of(), "--data", "orders.jsonl")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().replaceAll("\\s+", " "))
                    .contains(
                            "Values 50 values of jsonl:orders.jsonl, ",
                            "Column JSON, which is LONGTEXT with a check in MariaDB, and not MySQL's binary type",
                            "Your values: 50 values, ");
        }
        assertThat(columnOf("none")).isEqualTo("json");
        assertThat(columnOf("zstd")).isEqualTo("mediumblob");
        assertThat(RunDirectory.open(directory.resolve("run")).samples())
                .hasSize(14)
                .allSatisfy(
                        sample -> assertThat(sample.outcome().isMeasurement()).isTrue());
    }

    @Test
    void filesOfADirectoryAreMeasuredAsBlobsAndWhatCannotBeReadIsCounted() throws Exception {
        Path photos = Files.createDirectory(directory.resolve("photos"));
        for (int i = 1; i < 5; i++) {
            Files.write(photos.resolve(i + ".jpg"), new byte[i * 1_000]);
        }
        Files.createFile(photos.resolve("empty.jpg"));
        Files.createSymbolicLink(photos.resolve("link.jpg"), photos.resolve("1.jpg"));
        try (BlobmarkProcess run = start(Map.of(), "--data", "photos/")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("Your values: 4 values, 9.8 KB");
        }
        assertThat(columnOf("none")).isEqualTo("mediumblob");
        assertThat(manifest().datasets().get(0).distribution())
                .containsEntry("skipped, empty", 1L)
                .containsEntry("skipped, symbolic link", 1L);
    }

    @Test
    void aLineThatIsNoJsonIsNamedBeforeAnythingIsMade() throws Exception {
        Files.writeString(directory.resolve("orders.jsonl"), "{\"a\": 1}\n{\"a\": \n");
        try (BlobmarkProcess run = start(Map.of(), "--data", "orders.jsonl")) {
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("orders.jsonl, line 2: ");
        }
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void aColumnOfAMySqlIsMeasuredAsItIs() throws Exception {
        try (UsersServer server = UsersServer.start(Files.createDirectory(directory.resolve("server")))) {
            server.own("CREATE TABLE shop.docs (id INT PRIMARY KEY, doc JSON, note TEXT CHARACTER SET latin1)");
            for (int i = 0; i < 20; i++) {
                server.own("INSERT INTO shop.docs VALUES (" + i + ", JSON_OBJECT('zeta', " + i + ", 'a', REPEAT('x', "
                        + 500 * i + ")), 'Gr\u00fc\u00dfe " + i + "')");
            }
            server.own("INSERT INTO shop.docs VALUES (100, NULL, NULL)");
            Map<String, String> password = Map.of("BLOBMARK_PASSWORD", UsersServer.PASSWORD);

            try (BlobmarkProcess run = start(password, "--data", "shop.docs.doc", "--server", server.address())) {
                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.err()).contains("GRANT SELECT ON `shop`.`docs` TO 'guest'@'127.0.0.1'");
            }
            List<String> grants = new ArrayList<>(UsersServer.GRANTS);
            grants.add("SELECT ON shop.docs");
            server.grant(grants);
            try (BlobmarkProcess run = start(password, "--data", "shop.docs.dok", "--server", server.address())) {
                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.err()).contains("the table has no column 'dok'; it has id, doc, note");
            }
            List<String> before = server.state();
            try (BlobmarkProcess run = start(password, "--data", "shop.docs.doc", "--server", server.address())) {
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.out().replaceAll("\\s+", " "))
                        .contains(
                                "Values 20 values of table:shop.docs.doc (json), ",
                                "Column JSON, MySQL's binary type: a document comes back in MySQL's form, and is compared",
                                "of data in 21 rows");
            }
            assertThat(columnOf("none")).isEqualTo("json");
            assertThat(server.state()).isEqualTo(before);

            Files.move(directory.resolve("run"), directory.resolve("json"));
            try (BlobmarkProcess run = start(password, "--data", "shop.docs.note", "--server", server.address())) {
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.out()).contains("text in latin1, latin1_swedish_ci");
            }
            assertThat(columnOf("none")).isEqualTo("text:latin1_swedish_ci");
        }
    }
}
