/**
 * The run directory: the manifest, samples and latency logs; how they are written, read, resumed, merged and redacted.
 * Deciding what to measure belongs in {@code plan}, measuring in {@code engine}, and judging samples in
 * {@code analysis}.
 */
package dev.blobmark.lab.run;
