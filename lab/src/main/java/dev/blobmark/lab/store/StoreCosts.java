package dev.blobmark.lab.store;

/**
 * What loading and keeping a store is expected to cost.
 *
 * @param tableSeconds to create and drop it
 * @param loadBytesPerSecond of stored values
 * @param readBackBytesPerSecond of stored values
 * @param keySeconds to load and read back a key of a set
 * @param keyDiskBytes of a key of a set; 0 where sets are in memory alone
 * @param emptyDiskBytes of a store without a row
 * @param blockBytes the most application bytes of tables that are kept at the same time, unless one source has more
 * @param isOnDisk whether what is written goes to disk
 */
public record StoreCosts(
        double tableSeconds,
        double loadBytesPerSecond,
        double readBackBytesPerSecond,
        double keySeconds,
        double keyDiskBytes,
        long emptyDiskBytes,
        long blockBytes,
        boolean isOnDisk) {}
