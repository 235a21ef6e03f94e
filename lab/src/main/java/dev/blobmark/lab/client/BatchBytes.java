package dev.blobmark.lab.client;

import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.study.Factor;
import dev.blobmark.mysql.client.JdbcDriver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How many bytes an SQL node of a cluster reads from its data nodes, or sends to them, in one round trip. Each size is
 * a session variable of the SQL node, which is set when a connection is opened, and then read back.
 */
public enum BatchBytes {
    READ(
            "read-batch-bytes",
            "ndb_blob_read_batch_bytes",
            "parts of a BLOB that are read in one round trip",
            Factor.Use.CLUSTER,
            Factor.Use.PARTS),
    WRITE(
            "write-batch-bytes",
            "ndb_blob_write_batch_bytes",
            "parts of a BLOB that are written in one round trip",
            Factor.Use.CLUSTER,
            Factor.Use.PARTS),
    ROWS("batch-bytes", "ndb_batch_size", "rows that are sent to data nodes in one round trip", Factor.Use.CLUSTER);

    private static final String DEFAULT = "default";
    private static final long KB = 1 << 10;
    private static final long MB = 1 << 20;

    /** The maximum of {@code ndb_batch_size}; that of the others is twice as high. */
    private static final long MAX_BYTES = 1L << 31;

    private final Factor<String> factor;
    private final String variable;

    BatchBytes(String name, String variable, String what, Factor.Use... needs) {
        this.variable = variable;
        this.factor = new Factor<>(
                        name,
                        Factor.Home.METHOD,
                        Set.of(),
                        Set.of(needs),
                        "bytes of " + what + ": " + variable,
                        List.of(DEFAULT, "64KB", "4MB"),
                        Optional.of(DEFAULT),
                        BatchBytes::parse,
                        level -> level)
                .withForm(DEFAULT + "|[0-9]{1,10}(KB|MB)?");
    }

    public Factor<String> factor() {
        return factor;
    }

    private static String parse(String level) {
        if (level.equals(DEFAULT)) {
            return level;
        }
        if (!level.matches("\\d{1,10}(KB|MB)?") || bytes(level) < 1 || bytes(level) > MAX_BYTES) {
            throw new IllegalArgumentException("unknown batch size '" + level
                    + "'; write default, or 1 to 2147483648 bytes, such as 65536, 64KB or 4MB");
        }
        long bytes = bytes(level);
        return bytes % MB == 0 ? bytes / MB + "MB" : bytes % KB == 0 ? bytes / KB + "KB" : Long.toString(bytes);
    }

    private static long bytes(String level) {
        long number = Long.parseLong(level.replaceFirst("[KM]B$", ""));
        return level.endsWith("KB") ? number * KB : level.endsWith("MB") ? number * MB : number;
    }

    /** The session variables of a trial as {@code ndb_batch_size=4194304,…}; empty if all have their defaults. */
    static String settings(Design design) {
        return Arrays.stream(values())
                .filter(batch -> !design.get(batch.factor).equals(DEFAULT))
                .map(batch -> batch.variable + "=" + bytes(design.get(batch.factor)))
                .collect(Collectors.joining(","));
    }

    /** @throws SQLException if a size of the session differs from its level */
    static void verify(Connection connection, Design design) throws SQLException {
        for (BatchBytes batch : values()) {
            String level = design.get(batch.factor);
            if (!level.equals(DEFAULT)) {
                String found = JdbcDriver.variable(connection, batch.variable);
                if (!found.equals(Long.toString(bytes(level)))) {
                    throw new SQLException(batch.factor.name() + " is " + level + " by the study, but the session's "
                            + batch.variable + " is '" + found + "'");
                }
            }
        }
    }
}
