/**
 * What a server must be started with for a trial: durability, storage, the size of the buffer pool, the share of a
 * processor, and further server variables. Starting a server belongs in {@code server.own}, and choosing the
 * environment of a trial in {@code plan}.
 */
package dev.blobmark.lab.environment;
