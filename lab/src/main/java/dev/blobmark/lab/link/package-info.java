/**
 * Emulated links: bandwidth and round-trip time inside the client's sockets, a proxy that offers a link to other
 * programs, and the measurement of what a link delivers. How drivers get these sockets is in {@code client}.
 */
package dev.blobmark.lab.link;
