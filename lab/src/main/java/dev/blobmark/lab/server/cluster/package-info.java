/**
 * A MySQL NDB Cluster that Blobmark starts on this machine. Clusters that already run are in {@code server.running}.
 */
package dev.blobmark.lab.server.cluster;
