/**
 * Tables of values in PostgreSQL.
 */
package dev.blobmark.lab.store.postgres;
