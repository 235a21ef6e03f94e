/**
 * A MySQL or MariaDB server that Blobmark starts for a run: its programs, data directory, certificate and process. Also
 * what all servers that Blobmark starts share: launching, the process and its log. Servers that already run are not
 * here.
 */
package dev.blobmark.lab.server.own;
