package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How many bytes of each value a cluster stores in the row; the rest is stored in a parts table. A level of the factor
 * {@code inline}.
 *
 * @param level as written in a study
 */
public record Inline(String level) {

    /**
     * The value of the published study. A row has 30,000 bytes, so the server refuses more than 29,981 with an INT key.
     */
    public static final int MAX_BYTES = 29_736;

    private static final int MAX_LEVEL = 65_535;

    /** NDB's default. */
    public static final int DEFAULT = 256;

    private static final String FIT = "fit";
    private static final String MAX = "max";

    public static final Factor<Inline> FACTOR = new Factor<>(
                    "inline",
                    Factor.Home.METHOD,
                    Set.of(Factor.Shape.STORE),
                    Set.of(Factor.Use.CLUSTER, Factor.Use.PARTS),
                    "bytes of a BLOB that NDB stores in the row: fit is the length of the longest value, at most "
                            + MAX_BYTES + "; max is " + MAX_BYTES,
                    List.of("default", FIT, MAX, "24KB"),
                    Optional.of("default"),
                    Inline::parse,
                    Inline::level)
            .withForm("default|" + FIT + "|" + MAX + "|[0-9]{1,6}(KB)?");

    private static Inline parse(String level) {
        if (level.matches("default|" + FIT + "|" + MAX)) {
            return new Inline(level);
        }
        String digits = level.replaceFirst("KB$", "");
        if (!digits.matches("\\d{1,6}")) {
            throw new IllegalArgumentException("unknown inline '" + level
                    + "'; write default, fit, max, or a number of bytes, such as 24576 or 24KB");
        }
        int bytes = Integer.parseInt(digits) * (level.endsWith("KB") ? 1024 : 1);
        if (bytes < 1 || bytes > MAX_LEVEL) {
            throw new IllegalArgumentException("inline '" + level + "': write 1 to " + MAX_LEVEL
                    + "; a row of a cluster has 30,000 bytes, including the key");
        }
        return new Inline(bytes % 1024 == 0 ? bytes / 1024 + "KB" : Integer.toString(bytes));
    }

    /** The number of inline bytes if the longest stored value has this length. */
    public int bytes(int maxStoredLength) {
        return switch (level) {
            case "default" -> DEFAULT;
            case FIT -> Math.max(1, Math.min(maxStoredLength, MAX_BYTES));
            case MAX -> MAX_BYTES;
            default ->
                level.endsWith("KB")
                        ? Integer.parseInt(level.substring(0, level.length() - 2)) * 1024
                        : Integer.parseInt(level);
        };
    }

    /** The clause of {@code CREATE TABLE}; empty for the cluster's default. */
    String clause(String bytes) {
        return level.equals("default") ? "" : " COMMENT 'NDB_COLUMN=BLOB_INLINE_SIZE=" + bytes + "'";
    }
}
