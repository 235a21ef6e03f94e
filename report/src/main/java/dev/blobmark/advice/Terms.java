package dev.blobmark.advice;

import dev.blobmark.analysis.Prices;

/**
 * What costs are computed from.
 *
 * @param operationsPerSecond on average over a month, reads and writes together; 0 if not known
 */
public record Terms(Prices prices, double operationsPerSecond) {}
