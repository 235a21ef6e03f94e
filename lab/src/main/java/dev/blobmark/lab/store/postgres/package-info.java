/**
 * Tables of values in PostgreSQL, their SQL, and connections for measuring. PostgreSQL servers are in
 * {@code server.postgres}.
 */
package dev.blobmark.lab.store.postgres;
