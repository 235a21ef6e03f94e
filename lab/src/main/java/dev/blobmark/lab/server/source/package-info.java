/**
 * The kinds of server that {@code --server} accepts, and how each is opened.
 */
package dev.blobmark.lab.server.source;
