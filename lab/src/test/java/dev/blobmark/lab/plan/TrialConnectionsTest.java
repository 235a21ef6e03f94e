package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.study.Design;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrialConnectionsTest {

    /** One more than its workers have, on each server that the trial uses, asks about the server itself. */
    @ParameterizedTest
    @CsvSource({
        "thread-local,  blocking, dynamic, 8, 1, 1, 9",
        "per-operation, blocking, dynamic, 8, 2, 1, 9",
        "hikari,        blocking, dynamic, 8, 2, 1, 9",
        "hikari:3,      blocking, dynamic, 8, 1, 1, 4",
        "hikari:3,      blocking, dynamic, 8, 2, 1, 7",
        "thread-local,  async,    dynamic, 8, 2, 1, 9",
        "thread-local,  blocking, dynamic, 8, 1, 2, 9 0",
        "thread-local,  blocking, ndb,     7, 1, 2, 5 4",
        "hikari:3,      blocking, ndb,     8, 2, 2, 5 3",
        "thread-local,  async,    ndb,     8, 1, 2, 9 1"
    })
    void areThoseOfWorkersAndPools(
            String connection, String client, String layout, int threads, int processes, int servers, String open) {
        Map<String, String> levels = new HashMap<>(
                Map.of("workload", "membership", "connection", connection, "client", client, "layout", layout));
        levels.put("threads", Integer.toString(threads));
        levels.put("processes", Integer.toString(processes));

        assertThat(Arrays.stream(TrialConnections.of(Design.of(levels), servers))
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" ")))
                .isEqualTo(open);
    }
}
