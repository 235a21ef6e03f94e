package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.ColumnSketch;
import dev.blobmark.fleet.host.FilesRequest;
import dev.blobmark.fleet.host.SampleSize;
import dev.blobmark.lab.hosts.Cluster;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Surveys of files on a Spark cluster with two workers. */
class FilesIT {

    private static SparkPackages packages;
    private static LocalCluster cluster;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() throws Exception {
        packages = SparkPackages.find();
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(SparkProcess.MODULES);
        words.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                Path.of("target", "test-classes").toAbsolutePath() + ":" + packages.joined(":") + ":"
                        + Files.readString(FleetCommand.SPARK).strip(),
                ParquetMaker.class.getName()));
        for (String made : List.of(
                "parquet few.parquet 3",
                "parquet many.parquet 300",
                "orc few.orc 3",
                "json few.json 3",
                "avro few.avro 3",
                "delta few 3")) {
            String[] parts = made.split(" ");
            words.addAll(List.of(parts[0], directory.resolve(parts[1]).toString(), parts[2]));
        }
        FleetCommand maker = FleetCommand.start(directory, words, Map.of());
        cluster = LocalCluster.start(2, Map.of());
        assertThat(maker.exitCode()).as(maker.printed()).isZero();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static FleetCommand survey(Map<String, ?> settings, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("survey", "--on", cluster.master(), "--hosts", "2"));
        settings.forEach((key, value) -> words.addAll(List.of("--spark-conf", key + "=" + value)));
        words.addAll(List.of(more));
        return FleetCommand.start(directory, Map.of(), words.toArray(String[]::new));
    }

    @Test
    void theSameRowsInAnyFormatAndNumberOfPartsGiveTheSameAnswer() throws Exception {
        Path scratch = Files.createDirectory(directory.resolve("driver"));
        Map<String, String> settings = new HashMap<>(packages.settings(scratch));
        SparkPackages.DELTA.forEach((key, value) -> settings.put(key, value.toString()));
        Cluster.Request request = new Cluster.Request(
                cluster.master(), 2, settings, Optional.of(cluster.settings()), false, scratch, notice -> {});
        SparkProcess process = new SparkProcess(
                Files.readString(FleetCommand.SPARK).strip(),
                ClassPath.ofTasks(scratch),
                SparkSettings.read(request, name -> null)
                        .ofApplication(request, InetAddress.getLoopbackAddress(), Map.of()),
                scratch);
        Jobs.Scanning scans = scanner -> {
            ColumnSketch few = scanner.scan(column("few.parquet", "parquet", "payload"));

            assertThat(few.missing()).isEqualTo(ParquetMaker.ROWS / 100);
            assertThat(few.ofSize(0).rows()).isPositive();
            assertThat(few.ofSize(1).sample()).isNotEmpty();
            for (String other :
                    List.of("parquet many.parquet", "orc few.orc", "json few.json", "avro few.avro", "delta few")) {
                String[] parts = other.split(" ");
                assertThat(bytes(scanner.scan(column(parts[1], parts[0], "payload"))))
                        .as(other)
                        .isEqualTo(bytes(few));
            }
            assertThatThrownBy(() -> scanner.scan(column("few.parquet", "parquet", "payloads")))
                    .hasMessageContaining("payloads");
            assertThatThrownBy(() -> scanner.scan(column("few.parquet", "parquet", "id")))
                    .hasMessageContaining("is of the type int");
            return few;
        };
        new Jobs(process, process, new Application(List.of())).scan(scans, key -> {});
    }

    private static byte[] bytes(ColumnSketch sketch) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        sketch.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static FilesRequest column(String file, String format, String name) {
        return new FilesRequest(directory.resolve(file).toString(), format, name, new SampleSize(5_000, 2 << 20));
    }

    @Test
    void programsReadWhatWasFound() throws Exception {
        FleetCommand command = survey(
                packages.settings(directory), "--data", directory.resolve("few.avro") + "#payload", "--format", "json");

        assertThat(command.exitCode()).as(command.printed()).isZero();
        JsonNode found = new JsonMapper()
                .readTree(command.printed()
                        .lines()
                        .filter(line -> line.startsWith("{"))
                        .findFirst()
                        .orElseThrow());
        assertThat(found.get("missing").asInt()).isEqualTo(ParquetMaker.ROWS / 100);
        assertThat(found.get("classes").toString()).contains("0-1KB", "1KB-4KB");
        assertThat(found.get("codecs").findValuesAsString("codec")).contains("lz4", "zstd:3", "mysql:6");
    }

    @Test
    void itIsShownToPeople() throws Exception {
        Map<String, Object> settings = new HashMap<>(SparkPackages.DELTA);
        settings.put("spark.jars", packages.joined(","));
        FleetCommand command = survey(settings, "--data", "delta:" + directory.resolve("few") + "#payload");

        assertThat(command.exitCode()).as(command.printed()).isZero();
        assertThat(command.printed())
                .contains("few#payload", "2,970 values", "30 rows without a value", "zstd:3", "smaller ×");
    }

    @Test
    void badInputIsNamed() throws Exception {
        assertError("names no column of files", Map.of(), "--data", directory + "/few.parquet");
        assertError("the format of", Map.of(), "--data", directory + "/few.xyz#payload");
        assertError("none.parquet", Map.of(), "--data", directory.resolve("none.parquet") + "#payload");
    }

    /** It is not the last line of Spark's log. */
    @Test
    void aPackageThatIsNotThereIsNamed() throws Exception {
        Map<String, String> settings = new HashMap<>(packages.settings(directory));
        settings.put("spark.jars.packages", "org.none:none:1");
        assertError("org.none#none;1: not found", settings, "--data", directory.resolve("few.avro") + "#payload");
    }

    private static void assertError(String message, Map<String, String> settings, String... arguments)
            throws Exception {
        FleetCommand command = survey(settings, arguments);
        assertThat(command.exitCode()).as(command.printed()).isNotZero();
        assertThat(command.printed()).contains(message);
    }
}
