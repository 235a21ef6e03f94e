package dev.blobmark.lab.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.plan.LoadVolume;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What of a run goes to the binary log of a server that has one. */
@Tag("long")
@Timeout(60)
class BinaryLogIT {

    private static final LoadVolume CARGO = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096);

    private final List<String> notes = new ArrayList<>();

    /** The statements that name Blobmark's schema. */
    private static List<String> logged(ForeignServer server) throws SQLException {
        try (Connection owner = server.owner()) {
            String file = ForeignServer.strings(owner, "SELECT SUBSTRING_INDEX(@@log_bin_basename, '/', -1)")
                    .get(0);
            List<String> events = ForeignServer.strings(owner, "SHOW BINLOG EVENTS IN '" + file + ".000001'");
            events.removeIf(event -> !event.contains("blobmark"));
            return events;
        }
    }

    private void visit(ForeignServer server, boolean allowed) throws SQLException {
        visit(server, allowed, CARGO);
    }

    private void visit(ForeignServer server, boolean allowed, LoadVolume cargo) throws SQLException {
        RunLimits terms = new RunLimits(Optional.empty(), OptionalLong.empty(), allowed, ToleratedLoad.DEFAULT);
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "");
                ServerSession visit = new ServerSession(server, connection, terms, notes::add)) {
            visit.begin(ServerIdentity.read(connection).variables(), cargo, "0.1", "run", notes::add);
            ForeignServer.execute(
                    connection,
                    "CREATE TABLE blobmark.t01 (id INT PRIMARY KEY) COMMENT='" + visit.comment("t01") + "'");
        }
    }

    @Test
    void nothingGoesToItThatIsNotAllowed() throws Exception {
        ServerOptions options = ServerOptions.of(64 << 20).with(Map.of("log_bin", "binlog"));
        try (OwnServer host = OwnServer.start(OneServer.CACHE, options)) {
            List<String> without = ForeignServer.documentedWithout(host, "BINLOG ADMIN");
            ForeignServer plain = ForeignServer.of(host, without);
            int before = logged(plain).size();

            assertThatThrownBy(() -> visit(plain, false))
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining(
                            "it writes a binary log: loading writes about 3072 KB to it, which goes to 0 replicas now:"
                                    + " GRANT BINLOG ADMIN ON *.* TO 'guest'@'%', with which loading skips the log; or run with"
                                    + " --allow-replicated-writes");
            assertThat(logged(plain)).hasSize(before);

            ForeignServer spared = ForeignServer.of(host);
            before = logged(spared).size();
            visit(spared, false);
            assertThat(notes)
                    .containsExactly("loading writes about 3072 KB to the server, and nothing to its binary log");
            assertThat(logged(spared)).hasSize(before);
            LoadVolume changing = new LoadVolume(3L << 20, 2L << 20, 3L << 20, 2L << 20, 4096, true);
            assertThatThrownBy(() -> visit(spared, false, changing))
                    .as("a replica would be told of changes of tables that it does not have")
                    .isInstanceOf(AdmissionException.class)
                    .hasMessageContaining("trials that write add more, and it goes to 0 replicas now: run with"
                            + " --allow-replicated-writes");
            assertThat(logged(spared)).hasSize(before);

            ForeignServer allowed = ForeignServer.of(host, without);
            before = logged(allowed).size();
            visit(allowed, true);
            List<String> written = logged(allowed);
            assertThat(written.subList(before, written.size()))
                    .anyMatch(event -> event.contains("CREATE DATABASE IF NOT EXISTS `blobmark`"))
                    .anyMatch(event -> event.contains("DROP TABLE IF EXISTS `t01`"))
                    .anyMatch(event -> event.contains("DROP TABLE IF EXISTS `blobmark_marker`"))
                    .as("a replica may have what is not Blobmark's in a schema of that name")
                    .noneMatch(event -> event.contains("DROP DATABASE"));
            assertThat(notes.subList(notes.size() - 2, notes.size()))
                    .satisfiesExactly(
                            note -> assertThat(note).startsWith("the server writes a binary log: "),
                            note -> assertThat(note)
                                    .startsWith("the schema blobmark stays: it is empty here, but DROP DATABASE goes to"
                                            + " other servers too")
                                    .endsWith("the next run uses it again, or drop it: DROP DATABASE" + " `blobmark`"));
        }
    }
}
