package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a commit waits for: a level of the factor {@code durability}, as variables that both MySQL and MariaDB have.
 *
 * <p>{@code sync_binlog} has an effect only if {@code server.log_bin} turns on the binary log, which is off by default
 * on an own server.
 */
public enum Durability {
    /** A commit is on disk when it returns, and torn pages can be repaired after a crash: MySQL's defaults. */
    FULL("1", "1", "ON"),
    /** A commit is written to the kernel and synced once per second. A crash of the machine loses the last second. */
    LAZY("2", "0", "ON"),
    /** A commit waits for nothing, and there is no doublewrite buffer. A crash of the server alone may lose data. */
    NONE("0", "0", "OFF");

    public static final Factor<Durability> FACTOR = Factor.ofWords(
            "durability",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.SERVER),
            Set.of(Factor.Use.STORE),
            "what a commit waits for",
            Arrays.asList(values()),
            Durability::word);

    private final Map<String, String> variables;

    Durability(String flushAtCommit, String syncBinlog, String doublewrite) {
        variables = Map.of(
                "innodb_flush_log_at_trx_commit", flushAtCommit,
                "sync_binlog", syncBinlog,
                "innodb_doublewrite", doublewrite);
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public Map<String, String> variables() {
        return variables;
    }
}
