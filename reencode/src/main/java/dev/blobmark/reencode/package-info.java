/**
 * Changes how the values of a table in use are stored. {@link dev.blobmark.reencode.Reencoding} is the entry. Its
 * packages, each using only those before it, are {@code failure}, {@code table}, {@code row}, {@code binlog},
 * {@code change}, {@code checkpoint}, {@code throttle}, {@code terms}, {@code check}, {@code inplace}, {@code copy} and
 * {@code cutover}; {@code column} looks into what is stored, and {@code verify} compares it.
 */
package dev.blobmark.reencode;
