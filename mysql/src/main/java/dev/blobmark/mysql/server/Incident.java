package dev.blobmark.mysql.server;

import java.time.Instant;

/**
 * An event that a server survived.
 *
 * @param what in words: {@code data node 3 was lost}
 */
public record Incident(Instant at, String what) {}
