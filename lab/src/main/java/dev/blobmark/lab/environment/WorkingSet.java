package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Application bytes of a trial's values ÷ bytes of the buffer pool: a level of the factor {@code working-set},
 * {@code fits} or a number. The pool's size follows from application bytes, so it is the same for all methods. A layout
 * or codec that stores fewer bytes then reads fewer pages.
 *
 * @param ratio above 0; empty for {@code fits}, a pool of {@link Environment#DEFAULT_POOL_BYTES}
 */
public record WorkingSet(Optional<BigDecimal> ratio) {

    private static final String FITS = "fits";

    /** With more, not even one value of the largest dataset would stay in the pool. */
    private static final BigDecimal MAX = BigDecimal.valueOf(10_000);

    /** From the MySQL manual, {@code innodb_buffer_pool_chunk_size}. */
    private static final long MAX_CHUNKS = 1000;

    private static final long MIB = 1L << 20;

    public static final Factor<WorkingSet> FACTOR = new Factor<>(
                    "working-set",
                    Factor.Home.CONDITION,
                    Set.of(Factor.Shape.SERVER),
                    Set.of(Factor.Use.STORE),
                    "application bytes ÷ buffer pool; 'fits' for a pool of 1 GiB",
                    List.of("fits", "0.5", "4"),
                    Optional.of("fits"),
                    WorkingSet::parse,
                    WorkingSet::toString)
            .withForm("fits|[0-9]{1,5}(\\.[0-9]{1,4})?");

    public WorkingSet {
        ratio = ratio.map(BigDecimal::stripTrailingZeros);
        ratio.filter(r -> r.signum() <= 0 || r.compareTo(MAX) > 0).ifPresent(r -> {
            throw new IllegalArgumentException("a working set of " + r.toPlainString()
                    + " times the buffer pool is not above 0 and at most " + MAX + "; write 0.5 or 4");
        });
    }

    private static WorkingSet parse(String text) {
        if (text.equals(FITS)) {
            return new WorkingSet(Optional.empty());
        }
        if (!text.matches("\\d{1,5}(\\.\\d{1,4})?")) {
            throw new IllegalArgumentException("'" + text
                    + "' is not a valid working set; write 'fits', or application bytes ÷ buffer pool as a number: 0.5"
                    + " or 4");
        }
        return new WorkingSet(Optional.of(new BigDecimal(text)));
    }

    /**
     * The size of the pool, rounded to MiB, and above 1000 MiB rounded down to whole chunks; empty for {@code fits}.
     *
     * @throws IllegalArgumentException if it would be smaller than a server accepts; the message has the remedy
     */
    public Optional<Long> poolBytes(long applicationBytes) {
        return ratio.map(times -> {
            long mib = BigDecimal.valueOf(applicationBytes)
                    .divide(times.multiply(BigDecimal.valueOf(MIB)), 0, RoundingMode.HALF_UP)
                    .longValue();
            long bytes = (mib - mib % chunkMib(mib)) * MIB;
            if (bytes < Environment.MIN_POOL_BYTES) {
                throw new IllegalArgumentException("working-set=" + this + " of values of " + applicationBytes
                        + " bytes needs a buffer pool of " + mib + " MiB, but a server accepts no less than "
                        + Environment.MIN_POOL_BYTES / MIB
                        + " MiB; use more or larger values, at least "
                        + times.multiply(BigDecimal.valueOf(Environment.MIN_POOL_BYTES))
                                .setScale(0, RoundingMode.CEILING)
                        + " bytes in all");
            }
            return bytes;
        });
    }

    /**
     * The chunk size to set. The server rounds the pool to a multiple of it. With the default of 128 MiB, MySQL 9.7
     * makes a pool of 256 MiB if 200 MiB are requested.
     */
    static long chunkBytes(long poolBytes) {
        return chunkMib(poolBytes / MIB) * MIB;
    }

    private static long chunkMib(long mib) {
        return Math.max(1, (mib + MAX_CHUNKS - 1) / MAX_CHUNKS);
    }

    @Override
    public String toString() {
        return ratio.map(BigDecimal::toPlainString).orElse(FITS);
    }
}
