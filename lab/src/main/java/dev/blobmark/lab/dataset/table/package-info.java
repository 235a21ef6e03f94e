/**
 * Values that are sampled from a table of the user's, in small reads by a key.
 */
package dev.blobmark.lab.dataset.table;
