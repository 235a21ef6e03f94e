package dev.blobmark.lab.stats;

import java.util.OptionalDouble;

/**
 * The equivalence margin: how far from 1 a ratio may be if the difference does not matter.
 *
 * @param wanted what the user calls negligible: 0.02 for ± 2 %; between 0 and 1
 * @param noiseFloor the largest distance of the control's interval from 1; infinite if the control has no interval
 */
public record Margin(double wanted, double noiseFloor) {

    /** With a larger noise floor, "equal" says nothing, unless the user wants a margin that wide. */
    public static final double MOST_NOISE = 0.10;

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

    /** For a study with a control.
     *
     * @param control the interval of the control, a twin of the baseline */
    public static Margin of(double wanted, Interval control) {
        return new Margin(
                wanted,
                control instanceof Interval.Range range
                        ? Math.max(0, Math.max(1 - range.low(), range.high() - 1))
                        : Double.POSITIVE_INFINITY);
    }

    /** The X of "equal within ± X": the wanted margin, but never less than the noise floor. */
    public double effective() {
        return Math.max(wanted, noiseFloor);
    }

    /** Whether a ratio is within a share of 1, symmetric in the logarithm: 1.02 and 1 / 1.02 are within 0.02. False if the share is unknown. */
    static boolean isWithin(double ratio, double share) {
        return Double.isFinite(share) && Math.abs(Math.log(ratio)) <= Math.log1p(share);
    }

    /** Whether anything may be called equal: false if noise alone makes a difference that matters. */
    public boolean allowsEqual() {
        return noiseFloor <= Math.max(wanted, MOST_NOISE);
    }

    /**
     * The X of "equal within ± X" that an interval allows: {@link #effective}, or, if that is more, the largest distance of the interval from 1, to a tenth of a
     * percent. Empty if that is more than {@value #MOST_NOISE} and more than was wanted, because that is not equal.
     */
    public OptionalDouble equalWithin(Interval.Range interval) {
        double reach = Math.max(1 - interval.low(), interval.high() - 1);
        double x = Math.max(effective(), Math.ceil(reach * 1000) / 1000);
        return allowsEqual() && x <= Math.max(wanted, MOST_NOISE) ? OptionalDouble.of(x) : OptionalDouble.empty();
    }

    /** Whether the whole interval is within ± X, and anything may be called equal. */
    public boolean holds(Interval.Range interval) {
        double x = effective();
        return allowsEqual() && 1 - x <= interval.low() && interval.high() <= 1 + x;
    }
}
