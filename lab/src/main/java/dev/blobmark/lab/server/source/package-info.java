/**
 * The kinds of MySQL and MariaDB servers that {@code --server} accepts, and how each is opened. The servers themselves
 * are in {@code server.own}, {@code server.cluster} and {@code server.running}.
 */
package dev.blobmark.lab.server.source;
