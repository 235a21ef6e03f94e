package dev.blobmark.lab.plan;

import java.util.List;

/**
 * How many bytes a run loads, and how many connections it opens.
 *
 * @param applicationBytes of all tables of the run; a table counts each time that it is loaded
 * @param largestApplicationBytes most application bytes of tables that exist at the same time
 * @param storedBytes of all tables, approximately; these are sent to the server, and written to its binary log if it
 *     has one
 * @param largestDiskBytes of tables that exist at the same time, approximately
 * @param longestValueBytes of the values that must fit a packet, as stored or as the server decodes them; values that
 *     surely fit may be left out
 * @param isWrittenTo whether trials write to tables after loading
 * @param connections most connections that a trial has open at the same time, to each server that workers connect to
 */
public record LoadVolume(
        long applicationBytes,
        long largestApplicationBytes,
        long storedBytes,
        long largestDiskBytes,
        long longestValueBytes,
        boolean isWrittenTo,
        List<Integer> connections) {

    public LoadVolume {
        connections = List.copyOf(connections);
    }

    /** Without connections. */
    public LoadVolume(
            long applicationBytes,
            long largestApplicationBytes,
            long storedBytes,
            long largestDiskBytes,
            long longestValueBytes,
            boolean isWrittenTo) {
        this(
                applicationBytes,
                largestApplicationBytes,
                storedBytes,
                largestDiskBytes,
                longestValueBytes,
                isWrittenTo,
                List.of());
    }

    /** Without connections, for a run that only reads what it has loaded. */
    public LoadVolume(
            long applicationBytes,
            long largestApplicationBytes,
            long storedBytes,
            long largestDiskBytes,
            long longestValueBytes) {
        this(applicationBytes, largestApplicationBytes, storedBytes, largestDiskBytes, longestValueBytes, false);
    }

    /** The same, with a value of this length. */
    public LoadVolume withValueOf(long bytes) {
        return new LoadVolume(
                applicationBytes,
                largestApplicationBytes,
                storedBytes,
                largestDiskBytes,
                Math.max(longestValueBytes, bytes),
                isWrittenTo,
                connections);
    }

    public LoadVolume withConnections(List<Integer> ofServers) {
        return new LoadVolume(
                applicationBytes,
                largestApplicationBytes,
                storedBytes,
                largestDiskBytes,
                longestValueBytes,
                isWrittenTo,
                ofServers);
    }

    /** @param server index among the servers that workers connect to */
    public int connections(int server) {
        return server < connections.size() ? connections.get(server) : 0;
    }
}
