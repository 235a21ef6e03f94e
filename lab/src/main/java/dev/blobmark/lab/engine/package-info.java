/**
 * Measures a trial within one JVM: workers, warm-up, windows and visits, and the sum of what they gave. The processes
 * around it are in {@code fork}.
 */
package dev.blobmark.lab.engine;
