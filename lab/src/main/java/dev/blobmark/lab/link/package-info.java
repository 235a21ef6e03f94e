/**
 * Emulated links: bandwidth and round-trip time inside the client's sockets.
 */
package dev.blobmark.lab.link;
