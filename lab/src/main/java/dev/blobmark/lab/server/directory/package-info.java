/**
 * Private directories that are deleted when their owner ends, and by the next start if it was killed.
 */
package dev.blobmark.lab.server.directory;
