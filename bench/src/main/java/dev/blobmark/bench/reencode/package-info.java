/** What changing the stored values of a table costs: {@link dev.blobmark.bench.reencode.ReencodeCost}. */
package dev.blobmark.bench.reencode;
