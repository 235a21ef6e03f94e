/**
 * Emulated links: bandwidth and round-trip time in the client's sockets, and a relay for other programs. How a report predicts figures for
 * other links is in {@code analysis}.
 */
package dev.blobmark.lab.link;
