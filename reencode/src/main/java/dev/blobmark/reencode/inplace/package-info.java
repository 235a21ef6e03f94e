/** Changes rows where they are, by one writer or by several. */
package dev.blobmark.reencode.inplace;
