/**
 * The run directory: the manifest, samples and latency logs; written, read, resumed and merged. What the samples mean
 * is judged elsewhere.
 */
package dev.blobmark.lab.run;
