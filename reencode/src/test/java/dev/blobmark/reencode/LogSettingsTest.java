package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.reencode.change.LogSettings;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** With which settings the log has the rows of all changes, also of servers that cannot be started here. */
class LogSettingsTest {

    private static Optional<String> problem(String format, String engine) {
        return LogSettings.ofVariables(
                Map.of("log_bin", "ON", "binlog_format", format, "binlog_storage_engine", engine));
    }

    @Test
    void aLogOfRowsInFiles() {
        assertThat(problem("ROW", "")).isEmpty();
        assertThat(LogSettings.ofVariables(Map.of("log_bin", "1"))).isEmpty();
        assertThat(LogSettings.ofVariables(Map.of("log_bin", "OFF"))).hasValue("the server writes no binary log");
        assertThat(LogSettings.ofVariables(Map.of())).hasValue("the server writes no binary log");
        assertThat(problem("MIXED", "").orElseThrow()).startsWith("binlog_format is MIXED");
    }

    /** MariaDB 12.3. */
    @Test
    void aLogInAnEngine() {
        assertThat(problem("ROW", "innodb").orElseThrow()).contains("kept in innodb (binlog_storage_engine)");
    }

    @Test
    void filters() {
        Map<String, String> none =
                Map.of("file", "log.000001", "position", "4", "binlog_do_db", "", "binlog_ignore_db", "null");
        assertThat(LogSettings.ofStatus(none)).isEmpty();
        assertThat(LogSettings.ofStatus(Map.of("binlog_do_db", "other")))
                .hasValue("the server leaves changes out of the binary log: binlog_do_db is 'other'");
        assertThat(LogSettings.ofStatus(Map.of("binlog_ignore_db", "shop")))
                .hasValue("the server leaves changes out of the binary log: binlog_ignore_db is 'shop'");
    }
}
