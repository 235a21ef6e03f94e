package dev.blobmark.reencode.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.reencode.TestServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The model lets wait, go on and see what servers do. */
class ReplayIT {

    private static final long HISTORIES = Long.getLong("blobmark.histories", 40);
    private static final int AT_ONCE = 4;

    @ParameterizedTest
    @EnumSource(Model.Product.class)
    void theModelDoesAsTheServer(Model.Product product) throws Exception {
        ExecutorService replaying = Executors.newFixedThreadPool(AT_ONCE);
        long first = Long.getLong("blobmark.seed", System.nanoTime() & Integer.MAX_VALUE);
        try (OwnServer server =
                product == Model.Product.MYSQL ? TestServers.mySql(Map.of()) : TestServers.mariaDb(Map.of())) {
            List<Future<Optional<String>>> replays = new ArrayList<>();
            for (long i = 0; i < HISTORIES; i++) {
                long seed = first + i;
                replays.add(replaying.submit(() -> Replay.difference(server.endpoint(), product, seed)));
            }
            List<String> differences = new ArrayList<>();
            for (Future<Optional<String>> each : replays) {
                each.get().ifPresent(differences::add);
            }
            System.out.println(product + ": " + HISTORIES + " histories from seed " + first + ", " + differences.size()
                    + " differ");
            assertThat(differences).isEmpty();
        } finally {
            replaying.shutdownNow();
        }
    }
}
