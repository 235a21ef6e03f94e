package dev.blobmark.lab.guest;

/**
 * What a run is going to load, in bytes.
 *
 * @param applicationBytes of all tables of the run, each counted as often as it is loaded
 * @param largestApplicationBytes of the tables that are there at the same time, at most
 * @param storedBytes of all tables, about: what goes to the server, and to its binary log if that is written
 * @param largestDiskBytes of the tables that are there at the same time, about
 * @param longestValueBytes of the values that a packet has to hold, as they are stored or as the server decodes them; those that
 *     fit any packet of this server need not count
 * @param isWrittenTo whether trials write too, and not loading alone
 */
public record Cargo(
        long applicationBytes,
        long largestApplicationBytes,
        long storedBytes,
        long largestDiskBytes,
        long longestValueBytes,
        boolean isWrittenTo) {

    /** Of a run that only reads what it has loaded. */
    public Cargo(
            long applicationBytes,
            long largestApplicationBytes,
            long storedBytes,
            long largestDiskBytes,
            long longestValueBytes) {
        this(applicationBytes, largestApplicationBytes, storedBytes, largestDiskBytes, longestValueBytes, false);
    }

    /** The same, with a value that is so long. */
    public Cargo withValueOf(long bytes) {
        return new Cargo(
                applicationBytes,
                largestApplicationBytes,
                storedBytes,
                largestDiskBytes,
                Math.max(longestValueBytes, bytes),
                isWrittenTo);
    }
}
