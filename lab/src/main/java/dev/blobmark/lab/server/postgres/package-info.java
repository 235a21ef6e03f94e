/**
 * PostgreSQL servers: those that Blobmark starts, and those that run already.
 */
package dev.blobmark.lab.server.postgres;
