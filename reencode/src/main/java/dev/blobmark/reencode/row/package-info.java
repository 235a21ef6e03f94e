/** Rows: reading them by a key, converting their values, digests of them, and writing them back. */
package dev.blobmark.reencode.row;
