package dev.blobmark.lab.measurement;

import static dev.blobmark.lab.measurement.Amounts.require;
import static dev.blobmark.lab.measurement.Amounts.requireAmount;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the operations of one type gave.
 *
 * @param count completed operations, at least 1
 * @param throughputBytesPerSecond application bytes per second, workers added up
 * @param operationsPerSecond workers added up
 * @param latency service times: from the actual start
 * @param bytes of all operations together
 * @param response response times: from the intended start; empty in a closed loop
 * @param time where the service times went; empty where there was no server, or it was not recorded
 * @param bySize those that worked on values of one size class, over the time spent in them: in their rates workers are
 *     added up, and bytes on the wire and response times are not known; empty where all values are of one class, or an
 *     operation works on several
 */
public record Operations(
        long count,
        @JsonProperty("throughput_bytes_per_s") double throughputBytesPerSecond,
        @JsonProperty("operations_per_s") double operationsPerSecond,
        @JsonProperty("latency_ns") Latency latency,
        ByteCounts bytes,
        @JsonProperty("response_ns") Optional<Latency> response,
        @JsonProperty("time_ns") Optional<TimeSpent> time,
        SortedMap<SizeClass, Operations> bySize) {

    public Operations {
        Objects.requireNonNull(latency, "latency_ns");
        Objects.requireNonNull(bytes, "bytes");
        Objects.requireNonNull(response, "response_ns");
        Objects.requireNonNull(time, "time_ns");
        require(count >= 1, "an operation type that did not occur has no figures");
        requireAmount("throughput_bytes_per_s", throughputBytesPerSecond);
        requireAmount("operations_per_s", operationsPerSecond);
        bySize = Amounts.sorted(bySize);
        long sized = bySize.values().stream().mapToLong(Operations::count).sum();
        require(
                bySize.isEmpty() || sized == count,
                "operations by size are " + sized + " together, not the " + count + " that there were");
    }

    /** Operations of a closed loop, not by size, and without a record of where the time went. */
    public Operations(
            long count,
            double throughputBytesPerSecond,
            double operationsPerSecond,
            Latency latency,
            ByteCounts bytes) {
        this(
                count,
                throughputBytesPerSecond,
                operationsPerSecond,
                latency,
                bytes,
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>());
    }

    /**
     * Bytes that operations worked on.
     *
     * @param application decoded bytes
     * @param wireIn received on the socket; empty where they were not counted
     * @param wireOut sent on the socket; empty where they were not counted
     * @param stored in the column of the values; empty where they are not known
     */
    public record ByteCounts(long application, OptionalLong wireIn, OptionalLong wireOut, OptionalLong stored) {

        public ByteCounts {
            requireAmount("bytes.application", application);
            requireAmount("bytes.wire_in", wireIn);
            requireAmount("bytes.wire_out", wireOut);
            requireAmount("bytes.stored", stored);
        }

        /** Of operations without a socket, on values whose stored length is not known. */
        public static ByteCounts ofApplication(long bytes) {
            return new ByteCounts(bytes, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
        }
    }

    public long applicationBytes() {
        return bytes.application();
    }

    public OptionalLong wireBytesIn() {
        return bytes.wireIn();
    }

    public OptionalLong wireBytesOut() {
        return bytes.wireOut();
    }

    public OptionalLong storedBytes() {
        return bytes.stored();
    }

    /** The same, without the size classes. */
    public Operations ofAllSizes() {
        return bySized(new TreeMap<>());
    }

    /** The same with its size classes. */
    public Operations bySized(SortedMap<SizeClass, Operations> sizes) {
        return new Operations(
                count, throughputBytesPerSecond, operationsPerSecond, latency, bytes, response, time, sizes);
    }
}
