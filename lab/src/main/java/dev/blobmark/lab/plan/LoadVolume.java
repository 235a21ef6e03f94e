package dev.blobmark.lab.plan;

import java.util.List;

/**
 * What a run is going to load, in bytes, and how many connections it takes.
 *
 * @param applicationBytes of all tables of the run, each counted as often as it is loaded
 * @param largestApplicationBytes of the tables that are there at the same time, at most
 * @param storedBytes of all tables, about: what goes to the server, and to its binary log if that is written
 * @param largestDiskBytes of the tables that are there at the same time, about
 * @param longestValueBytes of the values that a packet has to hold, as they are stored or as the server decodes them; those that
 *     fit any packet of this server need not count
 * @param isWrittenTo whether trials write too, and not loading alone
 * @param connections that a trial has open at once, at most: of each server that workers enter by, in order
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

    /** Of a run whose trials open no connection. */
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

    /** Of a run that only reads what it has loaded. */
    public LoadVolume(
            long applicationBytes,
            long largestApplicationBytes,
            long storedBytes,
            long largestDiskBytes,
            long longestValueBytes) {
        this(applicationBytes, largestApplicationBytes, storedBytes, largestDiskBytes, longestValueBytes, false);
    }

    /** The same, with a value that is so long. */
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

    /** The same, with connections. */
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

    /** Those of trials on a server, by its place among those that workers enter by. */
    public int connections(int server) {
        return server < connections.size() ? connections.get(server) : 0;
    }
}
