package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.Ranking;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.report.document.Note;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A run on MySQL NDB Cluster 9.7.4 with two data nodes and two SQL nodes, under a mix of 90 % reads, over 1, 2 and 4
 * threads.
 */
class ClusterReportTest {

    private static final JsonMapper JSON = new JsonMapper();

    private static final RunDirectory RUN = RunDirectory.open(ReportFormatTest.resource("cluster"));

    private static final Manifest MANIFEST = RUN.manifest();

    private final Analysis report = Analysis.of(MANIFEST, RUN.samples());

    @Test
    void allTypesTogetherComeFirst() {
        assertThat(report.rankings())
                .extracting(Ranking::operation)
                .containsExactly("mix", "fetch", "update", "mix", "fetch", "update", "mix", "fetch", "update");
    }

    @Test
    void theLastLinesTellOfTheMixAloneAndEachTableOfItsOwn() throws Exception {
        String table = Written.as(report, "table");
        assertThat(table)
                .contains(
                        "\nmix of 90 % reads and 10 % updates: 24 KB, ",
                        "\nupdate in a mix of 90 % reads and 10 % updates: 24 KB, ");
        List<String> answers = Answer.all(report);
        assertThat(Stream.of(0, 3, 6).map(answers::get))
                .allSatisfy(answer -> assertThat(answer).contains(" at 90 % reads and 10 % updates together"))
                .doesNotHaveDuplicates();
        assertThat(table.replace("\n", " "))
                .contains(answers.get(0) + " ", answers.get(3) + " ", answers.get(6) + " ")
                .doesNotContain(answers.get(1), answers.get(8));
        assertThat(Written.as(report, "markdown"))
                .contains("is in the lead in a mix of 90 % reads and 10 % updates, statistically tied");
        assertThat(Headline.of(report))
                .isEqualTo(
                        "No clear winner: default, inline and varbinary cannot be distinguished at reads and updates together.");
    }

    /**
     * 200 values of 24 KB on two replicas: at least 48 KB each, and all of it in parts of 4,000 bytes but the first
     * 256.
     */
    @Test
    void whereTheBytesLieIsToldByItself() throws Exception {
        String table = Written.as(report, "table");
        assertThat(table)
                .containsPattern(
                        "\n +in row +inline +main +parts +round trips +rate +to base\n method +B +B/value +B/value")
                .containsPattern("\n default +0 % +256 +2294 +51200 +3\\.24 +2079\n")
                .containsPattern("\n varbinary +100 % +67174 +0 +1\\.04 +3489 +1\\.40 × ")
                .doesNotContain("B/key", "a key");
        assertThat(Captions.legend(report))
                .contains(" memory: bytes a value, in all data nodes of the cluster together");
        assertThat(table.split("Rows, parts and round trips:")).hasSize(2);
        assertThat(Written.as(report, "markdown")).contains("| default | 0 % | 256 | 2294 | 51200 | 3.24 | 2079 |");

        JsonNode mix = JSON.readTree(Written.as(report, "json")).get("rankings").get(6);
        JsonNode placement = method(mix, "default").get("placement");
        assertThat(placement.get("in_row_share").doubleValue()).isZero();
        assertThat(placement.get("inline_bytes").doubleValue()).isEqualTo(256);
        assertThat(placement.get("main_memory_bytes_per_value").doubleValue()).isEqualTo(2293.76);
        assertThat(placement.get("parts_memory_bytes_per_value").doubleValue()).isEqualTo(51200);
        assertThat(method(mix, "default").get("memory_bytes_per_key").isNull()).isTrue();
    }

    @Test
    void tablesOfOtherServersShowTheShareInRowAlone() throws Exception {
        List<LoadedStore> stores = MANIFEST.stores().stream()
                .map(store -> new LoadedStore(
                        store.server(),
                        store.factors(),
                        store.table(),
                        store.ddl(),
                        store.verified(),
                        store.content(),
                        new DiskSpace(OptionalLong.of(1 << 20), OptionalLong.empty()),
                        new Placement(
                                Optional.empty(),
                                OptionalLong.empty(),
                                store.placement().inRow(),
                                Optional.empty())))
                .toList();
        String table = Written.as(Analysis.of(MANIFEST.withStores(stores), RUN.samples()), "table");

        assertThat(table)
                .containsPattern("\nValues in their row: 24 KB, sites, rows 200\n\n method +in row\n─+\n")
                .containsPattern("\n default +0 %\n")
                .containsPattern("\n varbinary +100 %\n")
                .doesNotContain("round trips", "B/value", "in all data nodes");
    }

    @Test
    void ratesOverEachSqlNodeAreNotedOfAllTypesTogether() throws Exception {
        List<String> notes = RankingNotes.of(report.rankings().get(6)).stream()
                .map(Note::text)
                .toList();
        assertThat(notes)
                .contains("operations per second over each SQL node: varbinary 1837 and 1512; default 1244 and 853;"
                        + " control 1163 and 1222; inline 927 and 920");
        assertThat(RankingNotes.of(report.rankings().get(7)))
                .extracting(Note::text)
                .noneMatch(note -> note.contains("SQL node"));
        try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(Written.as(report, "csv"))) {
            List<NamedCsvRecord> all = rows.stream().toList();
            assertThat(all.get(1).getField("operation")).isEqualTo("mix");
            assertThat(all.get(1).getField("sql_nodes")).isEqualTo("670.3160160169778; 593.843217016851");
            assertThat(Double.parseDouble(all.get(1).getField("round_trips_per_op")))
                    .isEqualTo(1279.0 / 379);
            assertThat(all.get(0).getField("round_trips_per_op")).isEmpty();
        }
    }

    @Test
    void theClusterIsAmongTheFacts() throws Exception {
        assertThat(Written.as(report, "table"))
                .contains(
                        "\nCluster  2 data nodes, 2 replicas, data nodes of mysql-9.7.4 ndb-9.7.4, DataMemory 1.0 GB\n");
        assertThat(PageDocument.of(report).answer().toString()).contains("name=Cluster, text=2 data nodes");
    }

    /** Each flag with the event that is its own. */
    @Test
    void aLostNodeIsToldWithWhatItMeans() {
        String lost =
                "data node 3 was lost 0.10 s into a window of 0.30 s; at least 90 operations were completed before, and 200 after";
        List<Sample> samples = new ArrayList<>();
        for (Sample sample : RUN.samples()) {
            boolean isLost = sample.method().equals("inline") && sample.round() == 1;
            samples.add(
                    isLost ? flagged(flagged(sample, "disturbed", "300 queries of others"), "degraded", lost) : sample);
        }
        List<String> notes = Analysis.of(MANIFEST, samples).rankings().stream()
                .filter(ranking -> ranking.operation().equals("mix"))
                .flatMap(ranking -> RankingNotes.of(ranking).stream())
                .map(Note::text)
                .toList();

        assertThat(notes)
                .contains("degraded: inline in 1 of 3 rounds (" + lost
                        + "); a node of the cluster was lost in the window or before it, so that these rounds are of the nodes that"
                        + " were left")
                .contains("disturbed: inline in 1 of 3 rounds (300 queries of others)");
    }

    private static Sample flagged(Sample sample, String flag, String event) {
        return sample.flagged(flag, event);
    }

    private static JsonNode method(JsonNode ranking, String id) {
        for (JsonNode method : ranking.get("methods")) {
            if (method.get("method").stringValue().equals(id)) {
                return method;
            }
        }
        throw new AssertionError(id);
    }
}
