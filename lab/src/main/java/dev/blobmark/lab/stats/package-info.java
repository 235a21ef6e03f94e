/**
 * Effects, intervals, verdicts, percentiles, steady state and precision: pure functions of figures that were measured.
 *
 * <p>What is computed and why, with sources and with the coverage that was simulated, is told in {@code docs/statistics.md}.
 * Nothing here reads a clock, a file or a random source, and nothing depends on the rest of the laboratory.
 */
package dev.blobmark.lab.stats;
