/** Simulated studies, whose true effects are known: what the statistics of the laboratory promise is measured on them. */
package dev.blobmark.bench.stats;
