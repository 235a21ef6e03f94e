package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The share of one processor that an own server may use: a level of the factor {@code server-cpu}. With {@code 1} the
 * server may use all processors. With less, it is pinned to one processor, where the rival uses the rest.
 *
 * @param share from 0.05 to 1, in steps of 0.01
 */
public record CpuShare(BigDecimal share) {

    private static final BigDecimal MIN = new BigDecimal("0.05");

    public static final CpuShare WHOLE = new CpuShare(BigDecimal.ONE);

    public static final Factor<CpuShare> FACTOR = new Factor<>(
                    "server-cpu",
                    Factor.Home.CONDITION,
                    Set.of(Factor.Shape.SERVER),
                    Set.of(Factor.Use.STORE),
                    "share of one processor that the server may use; 1 for all processors",
                    List.of("1", "0.5", "0.25"),
                    Optional.of("1"),
                    CpuShare::parse,
                    CpuShare::toString)
            .withForm("[0-9]{1,3}(\\.[0-9]{1,9})?");

    public CpuShare {
        share = share.stripTrailingZeros();
        if (share.compareTo(MIN) < 0 || share.compareTo(BigDecimal.ONE) > 0 || share.scale() > 2) {
            throw new IllegalArgumentException(share.toPlainString()
                    + " is not a share of a processor: it must be from 0.05 to 1, in steps of 0.01; write 0.5");
        }
    }

    private static CpuShare parse(String text) {
        if (!text.matches("\\d{1,3}(\\.\\d{1,9})?")) {
            throw new IllegalArgumentException("'" + text + "' is not a share of a processor; write 0.5");
        }
        return new CpuShare(new BigDecimal(text));
    }

    public boolean isWhole() {
        return equals(WHOLE);
    }

    @Override
    public String toString() {
        return share.toPlainString();
    }
}
