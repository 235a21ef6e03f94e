package dev.blobmark.stats;

import java.util.OptionalDouble;

/**
 * How far from 1 a ratio may be to count as equal.
 *
 * @param wanted the user's margin: 0.02 for ± 2 %; 0 or more, below 1
 * @param noiseFloor the farthest that the control's interval reaches from 1; infinite if the control has no interval
 */
public record Margin(double wanted, double noiseFloor) {

    /** With a noise floor above this, "equal" would be meaningless, unless the user asked for a margin as wide. */
    public static final double MAX_NOISE = 0.10;

    /** The default of {@code wanted}. */
    public static final double USUAL = 0.02;

    public Margin {
        if (!(wanted >= 0 && wanted < 1)) {
            throw new IllegalArgumentException("margin: " + wanted + " is not between 0 and 1; give 0.02 for 2 %");
        }
        if (!(noiseFloor >= 0)) {
            throw new IllegalArgumentException("noise floor: " + noiseFloor + " is not 0 or more");
        }
    }

    /** For a study without a control. */
    public static Margin of(double wanted) {
        return new Margin(wanted, 0);
    }

    /** For a study whose control has this interval. */
    public static Margin of(double wanted, Interval control) {
        return new Margin(
                wanted,
                control instanceof Interval.Range range
                        ? Math.max(0, Math.max(1 - range.low(), range.high() - 1))
                        : Double.POSITIVE_INFINITY);
    }

    /** The X of "equal within ± X": the user's margin, but never less than the noise floor. */
    public double effective() {
        return Math.max(wanted, noiseFloor);
    }

    /**
     * Whether a ratio lies within a share of 1, by the same factor above and below: 1.02 and 1 / 1.02 within 0.02.
     * False if the share is infinite.
     */
    static boolean isWithin(double ratio, double share) {
        return Double.isFinite(share) && Math.abs(Math.log(ratio)) <= Math.log1p(share);
    }

    /** Whether anything may be called equal. It may not if noise alone makes too large a difference. */
    public boolean allowsEqual() {
        return noiseFloor <= Math.max(wanted, MAX_NOISE);
    }

    /**
     * The X of "equal within ± X" that an interval allows: the larger of {@link #effective} and the farthest that the
     * interval reaches from 1, rounded up to a tenth of a percent. Empty if that is more than both {@value #MAX_NOISE}
     * and the user's margin.
     */
    public OptionalDouble equalWithin(Interval.Range interval) {
        double reach = Math.max(1 - interval.low(), interval.high() - 1);
        double x = Math.max(effective(), Math.ceil(reach * 1000) / 1000);
        return allowsEqual() && x <= Math.max(wanted, MAX_NOISE) ? OptionalDouble.of(x) : OptionalDouble.empty();
    }

    /** Whether the whole interval is within ± X, and anything may be called equal. */
    public boolean holds(Interval.Range interval) {
        double x = effective();
        return allowsEqual() && 1 - x <= interval.low() && interval.high() <= 1 + x;
    }
}
