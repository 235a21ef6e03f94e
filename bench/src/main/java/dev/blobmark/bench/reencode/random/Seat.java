package dev.blobmark.bench.reencode.random;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A kind of server: its product, and whether it has a binary log. */
public enum Seat {
    MARIADB_LOG(false, true),
    MARIADB(false, false),
    MYSQL_LOG(true, true),
    MYSQL(true, false);

    public final boolean isMySql;
    public final boolean hasLog;

    Seat(boolean isMySql, boolean hasLog) {
        this.isMySql = isMySql;
        this.hasLog = hasLog;
    }

    /** As it is written on the command line: {@code mariadb-log}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Seat of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Variables of the server. Nothing survives it, so nothing is flushed. */
    Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>(Map.of(
                "innodb_flush_log_at_trx_commit", "0",
                "innodb_doublewrite", "OFF",
                "local_infile", "ON",
                "server_id", "7"));
        variables.put(isMySql ? "innodb_redo_log_capacity" : "innodb_log_file_size", "64M");
        if (hasLog) {
            variables.put("log_bin", "random");
            variables.put("binlog_format", "ROW");
            variables.put("sync_binlog", "0");
        } else if (isMySql) {
            variables.put("skip_log_bin", "ON");
        }
        return variables;
    }
}
