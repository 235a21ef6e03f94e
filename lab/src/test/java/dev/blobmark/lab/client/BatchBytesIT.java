package dev.blobmark.lab.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.RealCluster;
import dev.blobmark.lab.link.SharedLink;
import dev.blobmark.lab.server.cluster.NdbCluster;
import dev.blobmark.lab.study.Design;
import dev.blobmark.mysql.server.Endpoint;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions of a real cluster's SQL nodes. */
@ExtendWith(RealCluster.class)
class BatchBytesIT {

    private final NdbCluster cluster;

    BatchBytesIT(NdbCluster cluster) {
        this.cluster = cluster;
    }

    private static Design levels(String driver) {
        return Design.of(Map.of(
                "driver", driver, "read-batch-bytes", "4MB", "write-batch-bytes", "1000", "batch-bytes", "128KB"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"connector-j", "mariadb"})
    void sessionsHaveTheBatchesThatATrialAsksFor(String driver) throws Exception {
        try (Connection measured = new MySqlConnector("", levels(driver)).connect(cluster.endpoint(), new Traffic());
                Statement statement = measured.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT @@SESSION.ndb_blob_read_batch_bytes, @@SESSION.ndb_blob_write_batch_bytes,"
                                + " @@SESSION.ndb_batch_size")) {
            row.next();
            assertThat(row.getLong(1)).isEqualTo(4 << 20);
            assertThat(row.getLong(2)).isEqualTo(1_000);
            assertThat(row.getLong(3)).isEqualTo(128 << 10);
        }
    }

    @Test
    void aPoolDealsItsConnectionsOutOverTheSqlNodes() throws Exception {
        List<Endpoint> nodes = Stream.concat(Stream.of(cluster.endpoint()), cluster.others().stream())
                .toList();
        Set<Integer> ports = new HashSet<>();
        Design levels = Design.of(Map.of("driver", "connector-j"));
        try (ConnectionPool pool = new ConnectionPool(nodes, new MySqlConnector("", levels), SharedLink.LOOPBACK, 4)) {
            for (int i = 0; i < 4; i++) { // kept, so that each is another one
                try (ResultSet row =
                        pool.borrow(new Traffic()).createStatement().executeQuery("SELECT @@port")) {
                    row.next();
                    ports.add(row.getInt(1));
                }
            }
        }
        assertThat(ports)
                .containsExactlyInAnyOrderElementsOf(
                        nodes.stream().map(Endpoint::port).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"connector-j", "mariadb"})
    void aSessionWithOthersIsFoundOut(String driver) throws Exception {
        Design none = Design.of(Map.of("driver", driver));
        try (Connection plain = new MySqlConnector("", none).connect(cluster.endpoint(), new Traffic())) {
            assertThatThrownBy(() -> BatchBytes.verify(plain, levels(driver)))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("read-batch-bytes is 4MB by the study, but the session's ndb_blob_read_batch_bytes is"
                            + " '65536'");
        }
    }
}
