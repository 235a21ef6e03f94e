package dev.blobmark.lab.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DifferenceTest {

    private static Manifest.MeasuredServer server(String version, Map<String, String> variables) {
        return new Manifest.MeasuredServer("embedded", "MariaDB", version, "binary", new TreeMap<>(variables));
    }

    private static List<String> between(Map<String, String> was, Map<String, String> is) {
        return Difference.ofServers("mysql", server("11.4.5", was), server("11.4.5", is)).stream()
                .map(Difference::toString)
                .toList();
    }

    @Test
    void everySettingThatBearsOnResultsIsShown() {
        assertThat(between(
                        Map.of("innodb_buffer_pool_size", "1073741824", "tls_version", "TLSv1.3", "old", "1"),
                        Map.of("innodb_buffer_pool_size", "268435456", "tls_version", "TLSv1.2", "new", "ON")))
                .containsExactly(
                        "servers.mysql.innodb_buffer_pool_size: 1073741824 → 268435456",
                        "servers.mysql.new: – → ON",
                        "servers.mysql.old: 1 → –",
                        "servers.mysql.tls_version: TLSv1.3 → TLSv1.2");
    }

    @Test
    void whatTellsTwoStartsOfOneServerApartIsNone() {
        assertThat(between(
                        Map.ofEntries(
                                Map.entry("port", "3306"),
                                Map.entry("mysqlx_port", "33060"),
                                Map.entry("report_port", "3306"),
                                Map.entry("socket", "here.sock"),
                                Map.entry("hostname", "one"),
                                Map.entry("server_uuid", "aaaa"),
                                Map.entry("server_uid", "bbbb"),
                                Map.entry("gtid_executed", "cccc:1-7"),
                                Map.entry("general_log_file", "one.log"),
                                Map.entry("log_bin_basename", "one-bin"),
                                Map.entry("datadir", "/tmp/one/"),
                                Map.entry("innodb_undo_directory", "./one"),
                                Map.entry("tmpdir", "~/one")),
                        Map.ofEntries(
                                Map.entry("port", "3307"),
                                Map.entry("mysqlx_port", "33070"),
                                Map.entry("report_port", "3307"),
                                Map.entry("socket", "there.sock"),
                                Map.entry("hostname", "two"),
                                Map.entry("server_uuid", "dddd"),
                                Map.entry("server_uid", "eeee"),
                                Map.entry("gtid_executed", "ffff:1-9"),
                                Map.entry("general_log_file", "two.log"),
                                Map.entry("log_bin_basename", "two-bin"),
                                Map.entry("datadir", "/tmp/two/"),
                                Map.entry("innodb_undo_directory", "./two"),
                                Map.entry("tmpdir", "~/two"))))
                .isEmpty();
    }

    @Test
    void anotherVersionOrKindIsADifference() {
        assertThat(Difference.ofServers("mysql", server("11.4.5", Map.of()), server("11.4.6", Map.of())))
                .extracting(Difference::toString)
                .containsExactly("servers.mysql.version: 11.4.5 → 11.4.6");
        Manifest.MeasuredServer given =
                new Manifest.MeasuredServer("address", "MySQL", "11.4.5", "binary", new TreeMap<>());
        assertThat(Difference.ofServers("mysql", server("11.4.5", Map.of()), given))
                .extracting(Difference::toString)
                .containsExactly("servers.mysql.kind: embedded → address", "servers.mysql.product: MariaDB → MySQL");
    }

    @Test
    void processorJvmLibrariesAndBlobmarkAreCompared() {
        Manifest was = Samples.manifest();
        Host host = new Host(
                "Linux",
                "6.2.0",
                "amd64",
                Optional.of("Xeon"),
                4,
                was.machine().host().memoryBytes());
        Manifest is = new Manifest(
                1,
                new Program("0.2.0", "7f3c2a1", List.of()),
                was.progress(),
                was.study(),
                was.plan(),
                new Machine(
                        host,
                        new TreeMap<>(
                                Map.of("default", new Machine.MeasuringJvm("Debian", "21.0.1+12", List.of("-Xmx1g")))),
                        new TreeMap<>(Map.of("zstd-jni", "1.5.8-1")),
                        Machine.Quiet.NONE,
                        new TreeMap<>()),
                new TreeMap<>(),
                List.of(),
                List.of(),
                List.of());

        assertThat(Difference.ofSurroundings(was, was)).isEmpty();
        // another kernel is not the reason to throw hours of measuring away
        assertThat(Difference.ofSurroundings(was, is))
                .extracting(Difference::toString)
                .containsExactly(
                        "blobmark: 0.1.0 → 0.2.0",
                        "host.cores: 2 → 4",
                        "host.cpu: – → Xeon",
                        "hosts.0: Neoverse, 64 cores, 256.0 GB, Debian 25.0.1+8, 25.0 Gbit/s → –",
                        "jvms.default.flags: -Xmx2g → -Xmx1g",
                        "jvms.default.version: 17.0.15+6 → 21.0.1+12",
                        "libraries.zstd-jni: 1.5.7-28 → 1.5.8-1");
    }
}
