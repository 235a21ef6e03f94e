/** The user's tables: their columns and keys, and samples that are read in small batches by a key. */
package dev.blobmark.mysql.table;
