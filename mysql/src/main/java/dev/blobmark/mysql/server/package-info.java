/**
 * What all servers have in common: endpoint, account, TLS, version and identity. Servers that already run are in the
 * package {@code running}; those that Blobmark starts are in {@code lab}.
 */
package dev.blobmark.mysql.server;
