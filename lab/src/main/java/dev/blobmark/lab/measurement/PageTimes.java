package dev.blobmark.lab.measurement;

import static dev.blobmark.lab.measurement.Amounts.require;
import static dev.blobmark.lab.measurement.Amounts.requireAmount;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * How long a server takes to read and to inflate a page of a table with compressed blocks, by its own counters.
 *
 * @param pagesRead from the table's file, each by one read
 * @param readNanos mean time of a read
 * @param readErrorNanos standard error of that mean; 0 if there was one part
 * @param pagesInflated pages with blocks of the table's size that the server inflated
 * @param inflateNanos mean time for inflating one
 * @param inflateErrorNanos limit of the error of that mean: the server counts whole seconds, and it is not known at
 *     which page of a statement a second was full
 */
public record PageTimes(
        long pagesRead,
        @JsonProperty("read_ns") double readNanos,
        @JsonProperty("read_error_ns") double readErrorNanos,
        long pagesInflated,
        @JsonProperty("inflate_ns") double inflateNanos,
        @JsonProperty("inflate_error_ns") double inflateErrorNanos) {

    public PageTimes {
        require(pagesRead > 0, "disk.pages.pages_read: " + pagesRead + " is not positive");
        require(pagesInflated > 0, "disk.pages.pages_inflated: " + pagesInflated + " is not positive");
        requireAmount("disk.pages.read_ns", readNanos);
        requireAmount("disk.pages.read_error_ns", readErrorNanos);
        requireAmount("disk.pages.inflate_ns", inflateNanos);
        requireAmount("disk.pages.inflate_error_ns", inflateErrorNanos);
        require(inflateNanos > 0, "disk.pages.inflate_ns: inflating took no time");
    }

    /** The time for reading a page ÷ that for inflating one. */
    public double ratio() {
        return readNanos / inflateNanos;
    }
}
