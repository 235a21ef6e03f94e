package dev.blobmark.analysis.survey;

import java.util.Optional;

/**
 * A figure of a whole column that was estimated from a sample.
 *
 * @param interval of 90 %; empty if the sample has too few ranges of the key for one
 */
public record Estimate(double value, Optional<Interval> interval) {

    /** The ends are equal if all rows were read. */
    public record Interval(double low, double high) {}
}
