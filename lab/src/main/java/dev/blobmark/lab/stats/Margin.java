package dev.blobmark.lab.stats;

import java.util.OptionalDouble;

/**
 * How far from 1 a ratio may be for a difference that does not matter.
 *
 * @param wanted what the user calls negligible: 0.02 for ± 2 %; between 0 and 1
 * @param noiseFloor the farthest that the control's interval reaches from 1; infinite where the control has no interval
 */
public record Margin(double wanted, double noiseFloor) {

    /** A noise floor above this makes "equal" say nothing, unless the user wanted so wide a margin. */
    public static final double MOST_NOISE = 0.10;

    /** What is called negligible unless the user says otherwise. */
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

    /** For a study whose control, a twin of the baseline, has this interval. */
    public static Margin of(double wanted, Interval control) {
        return new Margin(
                wanted,
                control instanceof Interval.Range range
                        ? Math.max(0, Math.max(1 - range.low(), range.high() - 1))
                        : Double.POSITIVE_INFINITY);
    }

    /** The X of "equal within ± X": what was wanted, but never less than the noise floor. */
    public double effective() {
        return Math.max(wanted, noiseFloor);
    }

    /** Whether a ratio lies within a share of 1, above and below alike: 1.02 and 1 / 1.02 within 0.02; none lies within an unknown one. */
    static boolean isWithin(double ratio, double share) {
        return Double.isFinite(share) && Math.abs(Math.log(ratio)) <= Math.log1p(share);
    }

    /** Whether anything may be called equal: not where noise alone makes a difference that nobody would call none. */
    public boolean allowsEqual() {
        return noiseFloor <= Math.max(wanted, MOST_NOISE);
    }

    /**
     * The X of "equal within ± X" that an interval allows: {@link #effective}, or the farthest that the interval reaches from 1, to a tenth of a percent, where that is
     * more. None where that is more than {@value #MOST_NOISE} and than what was wanted: so much is not equal to anybody.
     */
    public OptionalDouble equalWithin(Interval.Range interval) {
        double reach = Math.max(1 - interval.low(), interval.high() - 1);
        double x = Math.max(effective(), Math.ceil(reach * 1000) / 1000);
        return allowsEqual() && x <= Math.max(wanted, MOST_NOISE) ? OptionalDouble.of(x) : OptionalDouble.empty();
    }

    /** Whether all of the interval lies within ± X, and anything may be called equal. */
    public boolean holds(Interval.Range interval) {
        double x = effective();
        return allowsEqual() && 1 - x <= interval.low() && interval.high() <= 1 + x;
    }
}
