/**
 * Changes that are in no log are made while a table is copied, and what happens to them is judged; see
 * {@link dev.blobmark.bench.reencode.witness.ReencodeWitness}.
 */
package dev.blobmark.bench.reencode.witness;
