/** A proxy that Blobmark starts in front of a server, for trials whose connections pass through one. */
package dev.blobmark.lab.server.proxy;
