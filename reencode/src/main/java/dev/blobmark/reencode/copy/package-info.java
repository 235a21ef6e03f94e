/** Copies a table to a new one, while others change it. */
package dev.blobmark.reencode.copy;
