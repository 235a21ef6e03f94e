/**
 * Redis servers: one that Blobmark starts, or one that runs already.
 */
package dev.blobmark.lab.server.redis;
