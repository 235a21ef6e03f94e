/**
 * Changes how the values of a table in use are stored. {@link dev.blobmark.reencode.Reencoding} is the entry;
 * {@link dev.blobmark.reencode.InPlace} changes the rows.
 */
package dev.blobmark.reencode;
