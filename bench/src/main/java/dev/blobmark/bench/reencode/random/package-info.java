/**
 * Random tables, sessions and statements around a change of stored values, judged by a twin of each table:
 * {@link dev.blobmark.bench.reencode.random.ReencodeRandom}.
 */
package dev.blobmark.bench.reencode.random;
