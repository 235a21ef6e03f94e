package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Surveys of files on a Spark cluster with two workers. */
class FilesIT {

    private static LocalCluster cluster;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() throws Exception {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(SparkProcess.MODULES);
        words.addAll(List.of(
                "-cp",
                Path.of("target", "test-classes").toAbsolutePath() + ":"
                        + Files.readString(FleetCommand.SPARK).strip(),
                ParquetMaker.class.getName()));
        for (String made :
                List.of("parquet few.parquet 3", "parquet many.parquet 300", "orc few.orc 3", "json few.json 3")) {
            String[] parts = made.split(" ");
            words.addAll(List.of(parts[0], directory.resolve(parts[1]).toString(), parts[2]));
        }
        FleetCommand maker = FleetCommand.start(directory, words, Map.of());
        assertThat(maker.exitCode()).as(maker.printed()).isZero();
        cluster = LocalCluster.start(2, Map.of());
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static FleetCommand survey(String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("survey", "--on", cluster.master(), "--hosts", "2"));
        words.addAll(List.of(more));
        return FleetCommand.start(directory, Map.of(), words.toArray(String[]::new));
    }

    /** What was found, without what depends on the time that codecs take. */
    private static JsonNode found(String file) throws Exception {
        FleetCommand command = survey("--data", directory.resolve(file) + "#payload", "--format", "json");
        assertThat(command.exitCode()).as(command.printed()).isZero();
        JsonNode found = new JsonMapper()
                .readTree(command.printed()
                        .lines()
                        .filter(line -> line.startsWith("{"))
                        .findFirst()
                        .orElseThrow());
        ((ObjectNode) found).remove("name");
        JsonNode codecs = ((ObjectNode) found).remove("codecs");
        assertThat(codecs.findValuesAsString("codec")).contains("lz4", "zstd:3", "mysql:6");
        for (JsonNode codec : codecs) {
            if (codec.get("codec").asString().equals("lz4")) { // fast enough to encode all of the sample
                ((ObjectNode) found)
                        .put(
                                "lz4",
                                codec.get("classes")
                                        .findValuesAsString("stored_bytes")
                                        .toString());
            }
        }
        return found;
    }

    @Test
    void theSameRowsInThreeAndInThreeHundredPartsGiveTheSameAnswer() throws Exception {
        JsonNode few = found("few.parquet");

        assertThat(few.get("missing").asInt()).isEqualTo(ParquetMaker.ROWS / 100);
        assertThat(few.get("classes").toString()).contains("0-1KB", "1KB-4KB");
        assertThat(found("many.parquet")).isEqualTo(few);
        assertThat(found("few.orc")).isEqualTo(few);
        assertThat(found("few.json")).isEqualTo(few);
    }

    @Test
    void itIsShownToPeople() throws Exception {
        FleetCommand command = survey("--data", directory.resolve("few.parquet") + "#payload");

        assertThat(command.exitCode()).as(command.printed()).isZero();
        assertThat(command.printed())
                .contains("few.parquet#payload", "2,970 values", "30 rows without a value", "zstd:3", "smaller ×");
    }

    @Test
    void badInputIsNamed() throws Exception {
        assertError("names no column of files", "--data", directory + "/few.parquet");
        assertError("the format of", "--data", directory + "/few.xyz#payload");
        assertError("payloads", "--data", directory.resolve("few.parquet") + "#payloads");
        assertError("is of the type int", "--data", directory.resolve("few.parquet") + "#id");
        assertError("none.parquet", "--data", directory.resolve("none.parquet") + "#payload");
    }

    private static void assertError(String message, String... arguments) throws Exception {
        FleetCommand command = survey(arguments);
        assertThat(command.exitCode()).as(command.printed()).isNotZero();
        assertThat(command.printed()).contains(message);
    }
}
