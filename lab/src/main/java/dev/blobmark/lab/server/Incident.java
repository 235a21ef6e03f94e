package dev.blobmark.lab.server;

import java.time.Instant;

/**
 * Something that happened to a server and did not end it.
 *
 * @param what in words: {@code data node 3 was lost}
 */
public record Incident(Instant at, String what) {}
