/**
 * A MySQL or MariaDB that runs already: its address, the option file with its password, and what lies between it and
 * the client.
 */
package dev.blobmark.lab.server.running;
