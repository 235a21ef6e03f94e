/**
 * Statistics of measured figures: effects, intervals, verdicts, percentiles, steady state and precision, as pure
 * functions.
 *
 * <p>{@code docs/statistics.md} describes the methods, with their sources and simulated coverage. Nothing here reads a
 * clock, a file or a random source, and nothing depends on the other packages of lab. Reading samples and rendering
 * tables belong to the module report.
 */
package dev.blobmark.stats;
