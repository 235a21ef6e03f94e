/**
 * What a server must be started with for a trial: durability, storage, the size of the buffer pool, the share of a
 * processor, and further server variables. How a server is started is in {@code server.own}.
 */
package dev.blobmark.lab.environment;
