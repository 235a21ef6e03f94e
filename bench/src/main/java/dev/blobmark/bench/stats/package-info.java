/** Simulated studies with known true effects, which check what the laboratory's statistics promise. */
package dev.blobmark.bench.stats;
