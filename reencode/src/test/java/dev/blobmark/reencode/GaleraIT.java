package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.reencode.row.Before;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node of a Galera cluster, of the other MariaDB. */
class GaleraIT extends StepsOfCopy {

    private static final Path PROVIDER = Path.of("usr", "lib", "galera", "libgalera_smm.so");

    @Override
    OwnServer start() throws Exception {
        Path provider = TestServers.otherMariaDb().resolve(PROVIDER);
        Assumptions.assumeTrue(
                Files.exists(provider), "no Galera to test with: there is no " + provider + ", see bench/real-mysql");
        return TestServers.otherMariaDb(Map.of(
                "wsrep_on",
                "ON",
                "wsrep_provider",
                provider.toString(),
                "wsrep_cluster_address",
                "gcomm://",
                "wsrep_node_address",
                "127.0.0.1",
                "wsrep_provider_options",
                "gmcast.listen_addr=tcp://127.0.0.1:" + freePort() + ";gcache.size=8M",
                "log_bin",
                "galera",
                "binlog_format",
                "ROW",
                "innodb_autoinc_lock_mode",
                "2"));
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    boolean isByLog() {
        return true;
    }

    @Test
    void itIsANode() throws Exception {
        assertThat(users.pair("SHOW GLOBAL STATUS LIKE 'wsrep_ready'")).isEqualTo("ON");
        assertThat(users.pair("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_status'")).isEqualTo("Primary");
    }

    /** Also where the node sends no changes: it receives those of others. */
    @ParameterizedTest
    @ValueSource(strings = {"ON", "OFF"})
    void aCopyIsRefusedBeforeAnythingIsWritten(String sending) throws Exception {
        String table = "copied_" + sending.toLowerCase();
        fill(table, ROWS);
        users.execute("SET GLOBAL wsrep_on = " + sending);
        try {
            assertThat(users.pair("SHOW GLOBAL STATUS LIKE 'wsrep_connected'")).isEqualTo("ON");
            assertThatThrownBy(() -> copy(payload(table), Map.of()).change(Before.RAW, target()))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("a node of a Galera cluster (wsrep_provider)")
                    .hasMessageContaining("use --mode in-place");
        } finally {
            users.execute("SET GLOBAL wsrep_on = ON");
        }
        assertUntouched();
    }

    private void assertUntouched() throws Exception {
        assertThat(users.single(
                        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND table_name"
                                + " LIKE '%blobmark%'"))
                .isEqualTo("0");
    }

    /** Only this node would have the new values. */
    @Test
    void aChangeThatIsNotSentIsRefused() throws Exception {
        fill("unsent", ROWS);
        users.execute("SET GLOBAL wsrep_on = OFF");
        try {
            assertThatThrownBy(() -> reencoding("shop.unsent.payload").change(Before.RAW, target()))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("wsrep_on is OFF");
        } finally {
            users.execute("SET GLOBAL wsrep_on = ON");
        }
        assertUntouched();
    }

    @Test
    void aChangeInPlaceIsMadeAndTakenBack() throws Exception {
        users.execute("CREATE DATABASE placed");
        Map<String, byte[]> values = table("placed.orders");
        assertThat(reencoding("placed.orders.payload")
                        .change(Before.RAW, target())
                        .isComplete())
                .isTrue();
        assertThat(users.single("SELECT COUNT(*) FROM placed.orders WHERE payload LIKE CONCAT(X'BEC1', '%')"))
                .isEqualTo(Integer.toString(values.size()));
        assertThat(reencoding("placed.orders.payload").verify().unreadable()).isZero();
        assertThat(reencoding("placed.orders.payload").revert().isComplete()).isTrue();
        assertSameBytes("placed.orders", values);
    }
}
