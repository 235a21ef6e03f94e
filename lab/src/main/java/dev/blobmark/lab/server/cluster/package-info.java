/**
 * A MySQL NDB Cluster that Blobmark starts on this machine.
 */
package dev.blobmark.lab.server.cluster;
