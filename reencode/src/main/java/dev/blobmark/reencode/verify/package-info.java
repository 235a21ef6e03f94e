/** Compares the values of a table with the checksums of a change. */
package dev.blobmark.reencode.verify;
