package dev.blobmark.mysql.table;

import java.util.OptionalInt;

/**
 * The most that is read for a sample.
 *
 * @param maxValues at least 1; four times as many rows may be read for them
 * @param maxBytes of all values together, at least 1
 * @param statementMillis the time after which the server ends a statement that reads the table, at least 1
 * @param cutBytes of a longer value, only the first of these bytes are taken; if empty, a value is taken whole, or
 *     skipped if it is longer than {@link TableColumn#MAX_BYTES}
 */
public record SampleLimits(int maxValues, long maxBytes, int statementMillis, OptionalInt cutBytes) {

    /** The limits of a study's samples: fewer bytes than from files, to spare the user's server. */
    public static final SampleLimits OF_STUDY = new SampleLimits(1_000, 256L << 20, 10_000);

    public SampleLimits {
        if (maxValues < 1 || maxBytes < 1 || statementMillis < 1 || cutBytes.orElse(1) < 1) {
            throw new IllegalArgumentException("a limit of a sample is less than 1: " + maxValues + " values, "
                    + maxBytes + " bytes, " + statementMillis + " ms, " + cutBytes + " bytes of a value");
        }
    }

    /** Limits with which each value is taken whole. */
    public SampleLimits(int maxValues, long maxBytes, int statementMillis) {
        this(maxValues, maxBytes, statementMillis, OptionalInt.empty());
    }

    /** The most bytes that the server reads for lengths alone: of values that are cut or skipped. */
    long maxUnsentBytes() {
        return cutBytes.isEmpty() ? maxBytes : 32 * maxBytes;
    }
}
