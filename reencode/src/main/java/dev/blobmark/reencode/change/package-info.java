/**
 * Changes that others make while a table is copied: which rows they are about, from the binary log or from triggers.
 */
package dev.blobmark.reencode.change;
