package dev.blobmark.lab.measurement;

import static dev.blobmark.lab.measurement.Amounts.require;
import static dev.blobmark.lab.measurement.Amounts.requireAmount;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Collection;
import java.util.Objects;

/**
 * What an open loop offered, and what became of it. A type of operation is known only when one is started, so this is
 * of all types together.
 *
 * @param ratePerSecond offered on average, as the study has it
 * @param offered arrivals in the window
 * @param started the rest was {@code dropped}
 * @param completed the rest of those started failed
 * @param scheduleLag how late arrivals were started although a thread was free: the lab's own delay
 */
public record OpenLoop(
        @JsonProperty("rate_per_s") double ratePerSecond,
        long offered,
        long started,
        long completed,
        long dropped,
        @JsonProperty("schedule_lag_ns") Latency scheduleLag) {

    public OpenLoop {
        Objects.requireNonNull(scheduleLag, "scheduleLag");
        requireAmount("open_loop.rate_per_s", ratePerSecond);
        require(
                completed >= 0 && dropped >= 0 && started + dropped == offered && completed <= started,
                "of " + offered + " offered, " + started + " started and " + dropped
                        + " dropped do not add up, or more than that were completed: " + completed);
    }

    /** What several processes offered together. */
    public static OpenLoop sum(Collection<OpenLoop> those, Latency scheduleLag) {
        return new OpenLoop(
                those.stream().mapToDouble(OpenLoop::ratePerSecond).sum(),
                those.stream().mapToLong(OpenLoop::offered).sum(),
                those.stream().mapToLong(OpenLoop::started).sum(),
                those.stream().mapToLong(OpenLoop::completed).sum(),
                those.stream().mapToLong(OpenLoop::dropped).sum(),
                scheduleLag);
    }
}
