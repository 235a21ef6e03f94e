/**
 * A MySQL or MariaDB server that Blobmark starts for a run: its programs, data directory, certificate and process.
 */
package dev.blobmark.lab.server.own;
