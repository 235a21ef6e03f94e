package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Analysis;
import dev.blobmark.analysis.TestRuns;
import dev.blobmark.lab.measurement.DiskSpace;
import dev.blobmark.lab.run.LoadedStore;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.store.Placement;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Trial;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CaptionsTest {

    private static LoadedStore store(String server, String kind) {
        return new LoadedStore(
                server,
                Levels.of(Map.of("store", kind, "size", "64KB")),
                "t",
                "",
                new TreeMap<>(),
                new LoadedStore.LoadedContent(1, 1, 1, OptionalDouble.empty()),
                new DiskSpace(OptionalLong.of(1 << 20), OptionalLong.empty()),
                Placement.UNKNOWN);
    }

    private static Sample sample(String method, String kind) {
        Sample sample = TestRuns.sample(method, 0, 0, new Outcome.Measured(), 100);
        return new Sample(
                new Trial(
                        sample.trial().id() + ",store=" + kind,
                        method,
                        Levels.of(Map.of("store", kind)),
                        sample.condition()),
                sample.position(),
                sample.outcome(),
                sample.remarks(),
                sample.warmUp(),
                sample.operations(),
                sample.openLoop(),
                sample.resources(),
                sample.disk(),
                sample.visits());
    }

    @Test
    void aConditionNamesTheServersOfAllItsStores() {
        Manifest mysql = TestRuns.manifest("plain", "zstd");
        Manifest both = mysql.with(new Manifest.PlannedSamples(mysql.plan().trials(), 1, 2, List.of("mysql")))
                .withStores(List.of(store("mysql", "mysql"), store("postgresql", "postgresql")))
                .with("postgresql", new Manifest.MeasuredServer("embedded", "PostgreSQL", "17.6", "", new TreeMap<>()));
        Analysis report = Analysis.of(both, List.of(sample("plain", "mysql"), sample("zstd", "postgresql")));

        assertThat(Captions.of(report, report.rankings().get(0)).get(1))
                .startsWith("MariaDB 11.4.5 embedded and PostgreSQL 17.6 embedded; 2 samples");
    }
}
