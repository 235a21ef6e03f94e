package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BlobFetchTest {

    private final Vocabulary vocabulary = TestVocabulary.get();
    private final Study quick = Studies.read("blob-fetch", vocabulary, Optional.empty());
    private final Study full = Studies.read("blob-fetch", vocabulary, Optional.of("full"));

    @Test
    void theFirstProfileIsTheDefault() {
        assertThat(quick.profile()).isEqualTo("quick");
        assertThat(quick.schedule().settings())
                .hasToString("{rounds=10, forks=5, window=150ms, warm-up=100ms, seed=42, visit=25ms}");
        assertThat(full.schedule().settings()).hasToString("{rounds=5, forks=3, window=1s, warm-up=5s, seed=42}");
    }

    @Test
    void aCodecAloneIsOneTrialHoweverManyMethodsUseIt() {
        List<Trial> codecTrials = full.trials(vocabulary).stream()
                .filter(trial -> trial.condition().find("workload").equals(Optional.of("codec")))
                .filter(trial -> trial.condition().find("dataset").equals(Optional.of("sites")))
                .filter(trial -> trial.condition().find("size").equals(Optional.of("34011")))
                .toList();
        Set<String> codecs = full.methods().stream()
                .map(method -> method.levels().find("codec").orElseThrow())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(codecTrials)
                .hasSameSizeAs(codecs)
                .extracting(Trial::method)
                .doesNotContain("mysql-uncompress", "compressed-table", "lz4-compressed-table");
    }

    @Test
    void fullHasThePublishedSizes() {
        // MysqlBlobBenchmarks of the source: 1 KB, 5 to 100 KB by 5, 200 to 900 KB by 100, and per megabyte from 1 to 4
        // ten sizes that start at the megabyte and are 100 KB apart, 5 MB
        Set<Integer> expected = new TreeSet<>(Set.of(1 << 10, 5 << 20));
        for (int kb = 5; kb <= 100; kb += 5) {
            expected.add(kb << 10);
        }
        for (int i = 0; i < 10; i++) {
            for (int mb = 1; mb <= 4; mb++) {
                expected.add((mb << 20) + i * (100 << 10));
            }
            if (i >= 2) {
                expected.add(i * (100 << 10));
            }
        }
        assertThat(expected).hasSize(70);

        assertThat(sizes("random:62", "fetch")).isEqualTo(expected);
        assertThat(sizes("random:62", "codec")).containsAll(expected).contains(2 << 10, 9 << 10, 70 << 10);
        assertThat(sizes("sites", "fetch")).hasSize(17).contains(34011, 4287156);
    }

    @Test
    void fullHasAllDatasets() {
        Set<String> datasets = full.trials(vocabulary).stream()
                .map(trial -> trial.levels().find("dataset").orElseThrow())
                .collect(Collectors.toSet());

        assertThat(datasets).containsExactlyInAnyOrder("sites", "random:62", "random:10", "random:4", "random:2");
    }

    private Set<Integer> sizes(String dataset, String workload) {
        return full.trials(vocabulary).stream()
                .filter(trial -> trial.levels().find("dataset").orElseThrow().equals(dataset))
                .filter(trial -> trial.levels().find("workload").orElseThrow().equals(workload))
                .map(trial -> trial.design().get(Size.FACTOR).bytes())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
