/**
 * PostgreSQL servers: those that Blobmark starts, and those that already run. Tables in PostgreSQL are in
 * {@code store.postgres}.
 */
package dev.blobmark.lab.server.postgres;
