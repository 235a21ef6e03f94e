/**
 * Redis and Valkey servers: those that Blobmark starts, and those that already run. Sets in a Redis are in
 * {@code store}.
 */
package dev.blobmark.lab.server.redis;
