package dev.blobmark.analysis.survey;

import java.util.Optional;

/**
 * A figure of a whole column that was estimated from a sample.
 *
 * @param interval of 90 %; empty if the sample has too few ranges of the key for one
 */
public record EstimatedFigure(double value, Optional<EstimateInterval> interval) {

    /** The ends are equal if all rows were read. */
    public record EstimateInterval(double low, double high) {}
}
