/**
 * Effects, intervals, verdicts, percentiles, steady state and precision: pure functions of measured figures.
 *
 * <p>{@code docs/statistics.md} describes what is computed and why, with sources and simulated coverage. Nothing here reads a clock, a file or a
 * random source, or depends on other packages.
 */
package dev.blobmark.lab.stats;
