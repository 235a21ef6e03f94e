/**
 * How a client connects to a server: drivers, blocking Redis connections, pools, counted sockets, and the parts of an
 * operation's time. What an operation does is in {@code workload}; emulated links are in {@code link}.
 */
package dev.blobmark.lab.client;
