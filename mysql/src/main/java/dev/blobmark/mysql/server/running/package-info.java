/**
 * A MySQL or MariaDB that already runs: its address, the option file with its password, and proxies in front of it.
 * Checks of what a run may do there are in {@code admission}.
 */
package dev.blobmark.mysql.server.running;
