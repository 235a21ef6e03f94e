/**
 * Measures a trial within one JVM: workers, warm-up, windows and visits, and the sum of their results. What one
 * operation does is in {@code workload}; the processes that measure are in {@code fork}.
 */
package dev.blobmark.lab.engine;
