package dev.blobmark.lab.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SurroundingsTest {

    private static Manifest withVariable(String name, String value) {
        return Samples.manifest()
                .with(
                        "mysql",
                        new Manifest.MeasuredServer(
                                "embedded",
                                "MariaDB",
                                "11.4.5-MariaDB",
                                "mariadb.org binary distribution",
                                new TreeMap<>(Map.of(name, value))));
    }

    /** As MariaDB 11.4 and MySQL 8.4 have them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "port",
                "report_port",
                "admin_port",
                "mysqlx_socket",
                "socket",
                "hostname",
                "report_host",
                "basedir",
                "datadir",
                "tmpdir",
                "slave_load_tmpdir",
                "innodb_data_home_dir",
                "innodb_undo_directory",
                "aria_log_dir_path",
                "secure_file_priv",
                "pid_file",
                "general_log_file",
                "slow_query_log_file",
                "log_error",
                "log_bin_basename",
                "server_id",
                "server_uid",
                "server_uuid",
                "ssl_cert",
                "ssl_key",
                "caching_sha2_password_private_key_path",
                "gtid_binlog_pos",
                "gtid_executed",
                "version",
                "version_comment",
                "wsrep_start_position"
            })
    void whatTellsAServerFromItsTwinDoesNotCount(String variable) {
        assertThat(Surroundings.differing(List.of(withVariable(variable, "a"), withVariable(variable, "b"))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "innodb_buffer_pool_size",
                "innodb_flush_log_at_trx_commit",
                "innodb_file_per_table",
                "sync_binlog",
                "log_bin",
                "query_cache_type",
                "max_allowed_packet",
                "protocol_compression_algorithms",
                "innodb_deadlock_report",
                "host_cache_size",
                "thread_pool_size",
                "tls_version",
                "performance_schema"
            })
    void allOtherSettingsCount(String variable) {
        assertThat(Surroundings.differing(List.of(withVariable(variable, "1"), withVariable(variable, "2"))))
                .containsExactly("server mysql " + variable);
    }

    @Test
    void whatOnlyOneRunHasIsNoDifference() {
        assertThat(Surroundings.differing(List.of(withVariable("log_bin", "1"), withVariable("sync_binlog", "1"))))
                .isEmpty();
    }

    @Test
    void everythingThatMayBearOnAFigureIsNamed() {
        assertThat(Surroundings.of(Samples.manifest()))
                .containsExactly(
                        Map.entry("Blobmark", "0.1.0 (7f3c2a1)"),
                        Map.entry("study", "blob-fetch (quick)"),
                        Map.entry("rounds", "3"),
                        Map.entry("forks", "1"),
                        Map.entry("window", "200ms"),
                        Map.entry("warm-up", "1500ms"),
                        Map.entry("seed", "42"),
                        Map.entry("visit", "25ms"),
                        Map.entry("precision", "1%"),
                        Map.entry("budget", "10m"),
                        Map.entry("links", "loopback"),
                        Map.entry("dataset sites 64KB", "e3b0c442"),
                        Map.entry("host CPU", "not known"),
                        Map.entry("host cores", "2"),
                        Map.entry("host memory", "8.0 GB"),
                        Map.entry("host system", "Linux 6.1.0 amd64"),
                        Map.entry("JVM", "Debian 17.0.15+6"),
                        Map.entry("JVM flags", "-Xmx2g"),
                        Map.entry("hosts of Neoverse, 64 cores, 256.0 GB, Debian 25.0.1+8, 25.0 Gbit/s", "1"),
                        Map.entry("client pinned to", "1-3"),
                        Map.entry("server pinned to", "0"),
                        Map.entry("cores kept awake", "0-3"),
                        Map.entry("library zstd-jni", "1.5.7-28"),
                        Map.entry("server mysql", "MariaDB 11.4.5-MariaDB, embedded (mariadb.org binary distribution)"),
                        Map.entry("server mysql innodb_buffer_pool_size", "268435456"));
    }
}
