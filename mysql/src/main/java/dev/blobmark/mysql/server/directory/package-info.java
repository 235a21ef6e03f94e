/**
 * Private directories that are deleted when their owner ends, or by the next start of a server if the owner was killed.
 * The servers that run in them belong to other packages.
 */
package dev.blobmark.mysql.server.directory;
