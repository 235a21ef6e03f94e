package dev.blobmark.lab.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StudyVariablesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plugin_dir",
                "plugin-dir",
                "PLUGIN_DIR",
                "loose_plugin_dir",
                "loose_loose_plugin_dir",
                "enable_plugin_dir",
                "plugin_di",
                "plugin",
                "plugin_load_add",
                "early_plugin_load",
                "early_plugin_loa",
                "general_log_file",
                "general_log_fil",
                "slow_query_log_file",
                "log_slow_query_fil",
                "wsrep_provider",
                "wsrep_notify_cmd",
                "init_connect",
                "init_slave",
                "init_replica",
                "loose-init-connect",
                "log_bin_index",
                "log_error_services",
                "ssl_ca",
                "tls_ciphersuites",
                "character_sets_dir",
                "slave_load_tmpdir",
                "report_host",
                "replicate_do_db",
                "debug",
                "datadi",
                "chroo",
                "secure_file_pri",
            })
    void whatLoadsCodeOrNamesFilesIsRefused(String name) {
        assertThatThrownBy(() -> StudyVariables.value(name, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the server variable " + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tmp/x", "../x", "x/y", "C:\\x", "a;b", "gcomm://x", "'x'", "$(x)"})
    void aPathIsNoValue(String value) {
        assertThatThrownBy(() -> StudyVariables.value("log_bin", value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + value + "' is not a valid value of the server variable log_bin in a study");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "log_bin|binlog",
                "general_log|ON",
                "slow_query_log|ON",
                "innodb_io_capacity|2000",
                "innodb-log-file-size|64M",
                "loose_innodb_adaptive_hash_index|OFF",
                "skip_name_resolve|ON",
                "sql_mode|STRICT_TRANS_TABLES,NO_ZERO_DATE",
                "optimizer_switch|index_merge=on",
                "innodb_monitor_enable|ON",
                "performance_schema|ON",
                "sync_binlog|1",
                "long_query_time|0.5",
                "event_scheduler|OFF",
            })
    void whatTunesAServerIsLeft(String name, String value) {
        assertThat(StudyVariables.value(name, value)).isEqualTo(value);
    }
}
