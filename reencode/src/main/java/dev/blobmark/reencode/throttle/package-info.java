/** When the work waits: for the load, for replicas, for reads of others, and for commands of the user. */
package dev.blobmark.reencode.throttle;
