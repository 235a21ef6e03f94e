/**
 * What samples say: rankings, graded claims, comparisons of runs, forecasts. Pure functions of manifest and samples.
 */
package dev.blobmark.analysis;
