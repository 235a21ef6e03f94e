/**
 * How values lie in a server: layouts, columns and codecs of tables, tables of keys, and sets in Redis; what is read
 * back, and bytes on disk. What is done to them is in {@code workload}.
 */
package dev.blobmark.lab.store;
