package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Application bytes of a trial's values ÷ bytes of the buffer pool. A level of the factor {@code working-set}: {@code fits}, or a
 * number. The pool follows from the values as the application sees them, and is thus the same for all methods: what a layout or codec
 * saves of it shows as pages that need not be read.
 *
 * @param ratio above 0; empty for the usual pool, which is much larger
 */
public record WorkingSet(Optional<BigDecimal> ratio) {

    private static final String FITS = "fits";

    /** Above it, not one value of the largest dataset would stay in the pool. */
    private static final BigDecimal MOST = BigDecimal.valueOf(10_000);

    private static final long MOST_CHUNKS = 1000;

    /** The pool is sized in these. */
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
            WorkingSet::toString);

    public WorkingSet {
        ratio = ratio.map(BigDecimal::stripTrailingZeros);
        ratio.filter(r -> r.signum() <= 0 || r.compareTo(MOST) > 0).ifPresent(r -> {
            throw new IllegalArgumentException("a working set of " + r.toPlainString()
                    + " times the buffer pool is not above 0 and at most " + MOST + "; write 0.5 or 4");
        });
    }

    private static WorkingSet parse(String text) {
        if (text.equals(FITS)) {
            return new WorkingSet(Optional.empty());
        }
        if (!text.matches("\\d{1,5}(\\.\\d{1,4})?")) {
            throw new IllegalArgumentException("'" + text
                    + "' is no working set; write 'fits', or application bytes ÷ buffer pool as a number: 0.5 or 4");
        }
        return new WorkingSet(Optional.of(new BigDecimal(text)));
    }

    /**
     * The pool for values of so many bytes: whole MiB, to the nearest (of more than 1000, whole chunks); empty where they are just to fit.
     *
     * @throws IllegalArgumentException if it would be smaller than a server takes, with the mend
     */
    public Optional<Long> poolBytes(long applicationBytes) {
        return ratio.map(times -> {
            long mib = BigDecimal.valueOf(applicationBytes)
                    .divide(times.multiply(BigDecimal.valueOf(MIB)), 0, RoundingMode.HALF_UP)
                    .longValue();
            long bytes = (mib - mib % chunkMib(mib)) * MIB;
            if (bytes < Environment.MIN_POOL_BYTES) {
                throw new IllegalArgumentException("working-set=" + this + " of values of " + applicationBytes
                        + " bytes asks for a buffer pool of " + mib + " MiB, but a server takes no less than "
                        + Environment.MIN_POOL_BYTES / MIB
                        + " MiB; take more or larger values, at least "
                        + times.multiply(BigDecimal.valueOf(Environment.MIN_POOL_BYTES))
                                .setScale(0, RoundingMode.CEILING)
                        + " bytes of them");
            }
            return bytes;
        });
    }

    /**
     * What the server is to round a pool to: MySQL 9.7 takes 128 MiB by itself, and makes 256 of 200. There should be 1000 chunks
     * at most (MySQL manual, innodb_buffer_pool_chunk_size).
     */
    static long chunkBytes(long poolBytes) {
        return chunkMib(poolBytes / MIB) * MIB;
    }

    private static long chunkMib(long mib) {
        return Math.max(1, (mib + MOST_CHUNKS - 1) / MOST_CHUNKS);
    }

    @Override
    public String toString() {
        return ratio.map(BigDecimal::toPlainString).orElse(FITS);
    }
}
