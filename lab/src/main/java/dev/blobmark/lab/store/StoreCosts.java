package dev.blobmark.lab.store;

/**
 * Estimated time and space of a store.
 *
 * @param tableSeconds to create and drop a store
 * @param loadBytesPerSecond stored bytes loaded per second
 * @param readBackBytesPerSecond stored bytes read back per second
 * @param keySeconds to load and read back one key of a set
 * @param keyDiskBytes disk space per key of a set; 0 if sets are only in memory
 * @param emptyDiskBytes disk space of a store without rows
 * @param blockBytes the most application bytes of tables that exist at the same time, unless one source has more
 * @param isOnDisk whether writes go to disk
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
