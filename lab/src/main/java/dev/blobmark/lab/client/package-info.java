/**
 * How a client reaches a server: drivers, blocking Redis connections, pools, counted sockets, and where the time of
 * an operation goes. What an operation does is in {@code workload}.
 */
package dev.blobmark.lab.client;
