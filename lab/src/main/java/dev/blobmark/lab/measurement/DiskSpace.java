package dev.blobmark.lab.measurement;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a table takes on disk, in bytes, and what its pages take in time.
 *
 * @param allocatedBytes of its file, which grows in steps; empty where there is none, or the server does not tell
 * @param usedBytes of the pages of that file that are in use; empty where they cannot be counted
 * @param pages how long reading and inflating a page takes; empty if that was not measured
 */
public record DiskSpace(
        OptionalLong allocatedBytes,
        OptionalLong usedBytes,
        @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<PageTimes> pages) {

    public static final DiskSpace UNKNOWN = new DiskSpace(OptionalLong.empty(), OptionalLong.empty());

    public DiskSpace {
        Objects.requireNonNull(pages, "pages");
    }

    /** The times of pages were not measured. */
    public DiskSpace(OptionalLong allocatedBytes, OptionalLong usedBytes) {
        this(allocatedBytes, usedBytes, Optional.empty());
    }

    public DiskSpace with(PageTimes pages) {
        return new DiskSpace(allocatedBytes, usedBytes, Optional.of(pages));
    }
}
