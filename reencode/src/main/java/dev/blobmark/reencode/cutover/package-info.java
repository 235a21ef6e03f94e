/** Puts a copy in the place of its table, and compares both afterwards. */
package dev.blobmark.reencode.cutover;
