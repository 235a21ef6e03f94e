package dev.blobmark.lab.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.RealCluster;
import dev.blobmark.lab.client.Driver;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A cluster that somebody else runs, entered through its SQL nodes. */
@Tag("long")
@ExtendWith(RealCluster.class)
class RunningClusterIT {

    private final NdbCluster cluster;

    RunningClusterIT(NdbCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void anSqlNodeTellsOfItsCluster() throws Exception {
        try (Connection connection = Driver.connectForLoading(cluster.endpoint(), "")) {
            assertThat(ServerIdentity.read(connection).cluster())
                    .containsEntry("data_nodes", "2")
                    .containsEntry("replicas", "2");
        }
    }
}
