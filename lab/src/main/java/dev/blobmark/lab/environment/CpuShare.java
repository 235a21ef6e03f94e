package dev.blobmark.lab.environment;

import dev.blobmark.lab.study.Factor;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How much of one processor a server of Blobmark's own may have. A level of the factor {@code server-cpu}: {@code 1} leaves it
 * to the system and all of its processors; below, the server is held to one that it shares with a load of that weight.
 *
 * @param share from 0.05 to 1, in hundredths
 */
public record CpuShare(BigDecimal share) {

    private static final BigDecimal LEAST = new BigDecimal("0.05");

    public static final CpuShare WHOLE = new CpuShare(BigDecimal.ONE);

    public static final Factor<CpuShare> FACTOR = new Factor<>(
            "server-cpu",
            Factor.Home.CONDITION,
            Set.of(Factor.Shape.SERVER),
            Set.of(Factor.Use.STORE),
            "share of one processor that the server may have; 1 for all there are",
            List.of("1", "0.5", "0.25"),
            Optional.of("1"),
            CpuShare::parse,
            CpuShare::toString);

    public CpuShare {
        share = share.stripTrailingZeros();
        if (share.compareTo(LEAST) < 0 || share.compareTo(BigDecimal.ONE) > 0 || share.scale() > 2) {
            throw new IllegalArgumentException(
                    share.toPlainString() + " is no share of a processor from 0.05 to 1, in hundredths; write 0.5");
        }
    }

    private static CpuShare parse(String text) {
        if (!text.matches("\\d{1,3}(\\.\\d{1,9})?")) {
            throw new IllegalArgumentException("'" + text + "' is no share of a processor; write 0.5");
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
