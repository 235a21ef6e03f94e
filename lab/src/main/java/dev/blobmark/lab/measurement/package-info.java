/**
 * What a measurement gave: amounts, times and counts as they stand in a run's files, and the
 * {@link dev.blobmark.lab.measurement.Metric metrics} that are read from them. Nothing here knows how it was measured,
 * or what for.
 */
package dev.blobmark.lab.measurement;
