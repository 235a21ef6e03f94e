package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What a commit waits for. A level of the factor {@code durability}, in variables that MySQL and MariaDB share.
 *
 * <p>A server of Blobmark's own has no binary log unless {@code server.log_bin} asks for one, and then nothing to sync there.
 */
public enum Durability {
    /** A commit is on the disk when it is answered, and a page that was torn by a crash can be mended: MySQL's defaults. */
    FULL("1", "1", "ON"),
    /** A commit is in the kernel's hands, synced each second: a crash of the machine loses what was committed in the last one. */
    LAZY("2", "0", "ON"),
    /** A commit waits for nothing, and pages are written once: a crash of the server alone may lose data. */
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
