package dev.blobmark.lab.measurement;

import java.util.OptionalLong;

/**
 * What a table takes on disk, in bytes.
 *
 * @param allocatedBytes of its file, which grows in steps; empty where there is none, or the server does not tell
 * @param usedBytes of the pages of that file that are in use; empty where they cannot be counted
 */
public record DiskSpace(OptionalLong allocatedBytes, OptionalLong usedBytes) {

    public static final DiskSpace UNKNOWN = new DiskSpace(OptionalLong.empty(), OptionalLong.empty());
}
