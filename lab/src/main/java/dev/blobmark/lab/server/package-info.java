/**
 * What all servers have in common: endpoint, account, TLS, version and identity. The kinds of servers and their
 * processes are in the packages below this one.
 */
package dev.blobmark.lab.server;
