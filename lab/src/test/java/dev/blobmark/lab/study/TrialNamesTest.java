package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrialNamesTest {

    private static Trial trial(String method, Map<String, String> condition) {
        return new Trial(method + condition, method, Levels.of(Map.of()), Levels.of(condition));
    }

    @Test
    void aNameHasTheLevelsInWhichConditionsDiffer() {
        Trial fetch = trial("zstd", Map.of("workload", "fetch", "size", "4KB", "tls", "off", "rows", "1000"));
        Trial decode = trial("zstd", Map.of("workload", "codec", "size", "4KB", "tls", "off"));

        TrialNames names = TrialNames.of(List.of(fetch, decode));
        assertThat(names.of("zstd", fetch.condition())).isEqualTo("zstd (workload=fetch)");
        assertThat(names.of("zstd", decode.condition())).isEqualTo("zstd (workload=codec)");
        assertThat(TrialNames.of(List.of(fetch)).of("zstd", fetch.condition())).isEqualTo("zstd");
    }
}
