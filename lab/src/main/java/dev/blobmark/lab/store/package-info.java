/**
 * How a server stores values: layouts, columns and codecs of tables, tables of keys, sets in Redis, verification and
 * disk space. The operations on them are in {@code workload}.
 */
package dev.blobmark.lab.store;
