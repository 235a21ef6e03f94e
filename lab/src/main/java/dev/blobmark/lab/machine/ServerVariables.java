package dev.blobmark.lab.machine;

import static dev.blobmark.lab.machine.Quantities.bytes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The variables of a MySQL or MariaDB server that affect a measurement, by their names in {@code SHOW GLOBAL
 * VARIABLES}.
 *
 * @param isOwn whether Blobmark starts the server. Of another one, advice is for whoever administers it, and names no
 *     statement that changes it for all of its clients
 */
public record ServerVariables(Map<String, String> variables, boolean isOwn) {

    /** InnoDB also keeps other pages in the pool, and reads ahead. */
    private static final double POOL_MARGIN = 1.25;

    /** The longest value of a MEDIUMBLOB and the rest of a statement. */
    private static final long LONGEST_PACKET_BYTES = (1 << 24) + (1 << 16);

    public ServerVariables {
        variables = Map.copyOf(variables);
    }

    public List<Finding> findings(Need need) {
        return List.of(
                bufferPool(need), packet(), queryCache(), binaryLog(), durability(), compression(), instruments());
    }

    /** @param kind of server, as named on the command line */
    public static Finding identity(String product, String version, String kind) {
        String observed = product + " " + version.replace("-" + product, "") + ", " + kind;
        return product.equals("MySQL")
                ? Finding.ok("server", observed)
                : Finding.note(
                        "server",
                        observed,
                        "MariaDB stands in for MySQL. Its figures are not those of MySQL.",
                        "Every report names it.");
    }

    private Finding bufferPool(Need need) {
        long pool = number("innodb_buffer_pool_size");
        if (pool < 0) {
            return Finding.unknown("buffer pool", "the server has no innodb_buffer_pool_size");
        }
        String observed =
                bytes(pool) + "; a trial of " + need.study() + " reads up to " + bytes(need.workingSetBytes());
        return pool >= POOL_MARGIN * need.workingSetBytes()
                ? Finding.ok("buffer pool", observed)
                : Finding.warning(
                        "buffer pool",
                        observed,
                        "Tables do not fit in it, so some fetches read from disk.",
                        isOwn
                                ? "Set innodb_buffer_pool_size to " + enoughPool(need)
                                        + " or more, unless that is what you want to measure."
                                : "Measure smaller tables (--set rows=N). Or ask its DBA whether a buffer pool of "
                                        + enoughPool(need) + " is possible.");
    }

    private static String enoughPool(Need need) {
        return bytes((long) (POOL_MARGIN * need.workingSetBytes()));
    }

    /** What to do about a setting that disturbs a measurement. */
    private String advice(String own, String question) {
        return isOwn ? own : "Blobmark does not change it. Ask its DBA " + question;
    }

    private Finding packet() {
        long packet = number("max_allowed_packet");
        if (packet < 0) {
            return Finding.unknown("packet limit", "the server has no max_allowed_packet");
        }
        return packet >= LONGEST_PACKET_BYTES
                ? Finding.ok("packet limit", bytes(packet))
                : Finding.warning(
                        "packet limit",
                        bytes(packet),
                        "Longer statements and rows are refused, so trials with values near that size fail.",
                        advice(
                                "SET GLOBAL max_allowed_packet = 67108864",
                                "whether max_allowed_packet may be 64 MB, or measure shorter values."));
    }

    private Finding queryCache() {
        if (!variables.containsKey("query_cache_type")) {
            return Finding.ok("query cache", "none in this server");
        }
        return isOn("query_cache_type") && number("query_cache_size") > 0
                ? Finding.warning(
                        "query cache",
                        variables.get("query_cache_type") + ", " + bytes(number("query_cache_size")),
                        "A fetch may be answered from the cache, without reading the table.",
                        advice(
                                "SET GLOBAL query_cache_type = OFF, or query_cache_size = 0",
                                "whether production needs the query cache, and when it may be off."))
                : Finding.ok("query cache", "off");
    }

    private Finding binaryLog() {
        return isOn("log_bin")
                ? Finding.note(
                        "binary log",
                        "on, sync_binlog=" + variables.getOrDefault("sync_binlog", "?"),
                        "Writes are written a second time, and with sync_binlog=1 they wait for the disk. Fetches do not.",
                        advice(
                                "Keep it if your production has it. Otherwise start the server with --skip-log-bin.",
                                "whether production has it too. If it does, figures of writes are those of production."))
                : Finding.ok("binary log", "off");
    }

    private Finding durability() {
        String flush = variables.getOrDefault("innodb_flush_log_at_trx_commit", "?");
        String observed = "innodb_flush_log_at_trx_commit=" + flush + ", doublewrite "
                + variables.getOrDefault("innodb_doublewrite", "?") + ", flush method "
                + variables.getOrDefault("innodb_flush_method", "?");
        return flush.equals("1")
                ? Finding.ok("durability", observed)
                : Finding.note(
                        "durability",
                        observed,
                        "Commits do not wait for the disk. Writes are faster than with the default, and may be lost.",
                        advice(
                                "Keep it if your production has it. Otherwise SET GLOBAL innodb_flush_log_at_trx_commit = 1",
                                "whether production has it too. If not, do not compare figures of writes with production."));
    }

    private Finding compression() {
        String observed = "file per table " + variables.getOrDefault("innodb_file_per_table", "always")
                + Stream.of("innodb_compression_level", "innodb_compression_algorithm")
                        .filter(variables::containsKey)
                        .map(name -> ", " + name.replace("innodb_compression_", "") + " " + variables.get(name))
                        .reduce("", String::concat)
                + ", page size " + variables.getOrDefault("innodb_page_size", "?");
        if (variables.containsKey("innodb_file_per_table") && !isOn("innodb_file_per_table")) {
            return Finding.warning(
                    "compression",
                    observed,
                    "Without a file per table, compressed layouts and the disk bytes of a table are not available.",
                    advice(
                            "SET GLOBAL innodb_file_per_table = ON",
                            "whether innodb_file_per_table may be on, or leave such methods out."));
        }
        return number("innodb_page_size") > 16384
                ? Finding.note(
                        "compression",
                        observed,
                        "ROW_FORMAT=COMPRESSED needs pages of at most 16 KB, so its layouts are not available.",
                        "")
                : Finding.ok("compression", observed);
    }

    private Finding instruments() {
        List<String> logs = new ArrayList<>();
        for (String log : List.of("general_log", "slow_query_log")) {
            if (isOn(log)) {
                logs.add(log);
            }
        }
        if (logs.contains("general_log")) {
            return Finding.warning(
                    "instruments",
                    "general_log is on",
                    "Every statement is written to a log, including its values.",
                    advice("SET GLOBAL general_log = OFF", "when the general log is off, and measure then."));
        }
        if (isOn("performance_schema")) {
            logs.add("performance_schema");
        }
        return logs.isEmpty()
                ? Finding.ok("instruments", "off: general_log, slow_query_log, performance_schema")
                : Finding.note(
                        "instruments",
                        "on: " + String.join(", ", logs),
                        "The server instruments every statement, which takes a part of a short fetch's time.",
                        "Keep it if your production has it. Differences between methods hardly change.");
    }

    private boolean isOn(String name) {
        return variables.getOrDefault(name, "OFF").matches("(?i)on|1|yes|demand");
    }

    /** Returns −1 if the server has no such variable. */
    private long number(String name) {
        String value = variables.getOrDefault(name, "");
        return value.matches("\\d{1,18}") ? Long.parseLong(value) : -1;
    }
}
