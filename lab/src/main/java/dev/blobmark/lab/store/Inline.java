package dev.blobmark.lab.store;

import dev.blobmark.lab.study.Factor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How many bytes of each value a cluster keeps in the row itself; the rest goes to rows of a parts table. A level of the factor
 * {@code inline}.
 *
 * @param level as written in a study
 */
public record Inline(String level) {

    /** Of the published study; the server refuses what does not fit a row of 30,000 bytes, 29,981 beside an INT key. */
    public static final int MOST = 29_736;

    private static final int MOST_ASKED_FOR = 65_535;

    /** NDB's own. */
    public static final int DEFAULT = 256;

    private static final String FIT = "fit";
    private static final String MAX = "max";

    public static final Factor<Inline> FACTOR = new Factor<>(
            "inline",
            Factor.Home.METHOD,
            Set.of(Factor.Shape.STORE),
            Set.of(Factor.Use.CLUSTER, Factor.Use.PARTS),
            "bytes of a BLOB that NDB keeps in the row: fit is as many as the longest value has, at most " + MOST
                    + ", and max is these",
            List.of("default", FIT, MAX, "24KB"),
            Optional.of("default"),
            Inline::parse,
            Inline::level);

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
        if (bytes < 1 || bytes > MOST_ASKED_FOR) {
            throw new IllegalArgumentException("inline '" + level + "': write 1 to " + MOST_ASKED_FOR
                    + "; a row of a cluster has 30,000 bytes, the key's among them");
        }
        return new Inline(bytes % 1024 == 0 ? bytes / 1024 + "KB" : Integer.toString(bytes));
    }

    /** How many bytes that is for values of which the longest has so many. */
    public int bytes(int longest) {
        return switch (level) {
            case "default" -> DEFAULT;
            case FIT -> Math.max(1, Math.min(longest, MOST));
            case MAX -> MOST;
            default ->
                level.endsWith("KB")
                        ? Integer.parseInt(level.substring(0, level.length() - 2)) * 1024
                        : Integer.parseInt(level);
        };
    }

    /** As in {@code CREATE TABLE}; empty where the cluster's own default is to be. */
    String clause(String bytes) {
        return level.equals("default") ? "" : " COMMENT 'NDB_COLUMN=BLOB_INLINE_SIZE=" + bytes + "'";
    }
}
