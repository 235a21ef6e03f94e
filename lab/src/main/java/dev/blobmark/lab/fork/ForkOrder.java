package dev.blobmark.lab.fork;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An order from a parent to a measuring JVM, one line each. It contains the server's password, so it is sent through
 * standard input only. Apart from {@link Begin} and the server's process number in a place, orders are also valid on
 * another host with the certificate files at the same paths.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "order")
@JsonSubTypes({
    @JsonSubTypes.Type(value = ForkOrder.Begin.class, name = "begin"),
    @JsonSubTypes.Type(value = ForkOrder.Measure.class, name = "measure"),
    @JsonSubTypes.Type(value = ForkOrder.Go.class, name = "go"),
    @JsonSubTypes.Type(value = ForkOrder.Stop.class, name = "stop"),
    @JsonSubTypes.Type(value = ForkOrder.Open.class, name = "open"),
    @JsonSubTypes.Type(value = ForkOrder.KeepWarm.class, name = "warm-up"),
    @JsonSubTypes.Type(value = ForkOrder.MeasureVisit.class, name = "visit"),
    @JsonSubTypes.Type(value = ForkOrder.Results.class, name = "account"),
    @JsonSubTypes.Type(value = ForkOrder.Finish.class, name = "finish")
})
public sealed interface ForkOrder {

    /** The first order: the directories of encoded values on this host. */
    record Begin(List<String> valuesDirectories) implements ForkOrder {}

    /**
     * Warm up for a trial, answer {@link ForkMessage.Ready}, and continue to warm up.
     *
     * @param values the name of the encoded values, below one of the directories
     * @param codePath equal for trials that use the same code of client and driver
     * @param window as scheduled
     * @param linkFile through which the processes of the trial share its link; empty for one process
     * @param seed of the trial in this round, the same in all processes
     */
    record Measure(
            Trial trial,
            String values,
            Optional<ForkPlan.LoadedTable> place,
            Share share,
            Optional<String> linkFile,
            String codePath,
            Window window,
            Duration warmUp,
            long seed)
            implements ForkOrder {}

    /**
     * All processes of the trial are ready: measure the window.
     *
     * @param at when it begins, by the clock of the process's machine; empty for at once
     */
    record Go(Optional<Instant> at) implements ForkOrder {
        static final Go NOW = new Go(Optional.empty());
    }

    /** Stop the trial, because another process has failed at it. A process that has finished it ignores this. */
    record Stop() implements ForkOrder {}

    /**
     * Open a trial, warm it up and keep it open. The answer is {@link ForkMessage.Ready}, or
     * {@link ForkMessage.Finished} if it has failed.
     *
     * @param number of the trial in later orders
     * @param how the share is that of the only process
     */
    record Open(int number, Measure how) implements ForkOrder {}

    /**
     * Run an open trial without measuring it. The answer is {@link ForkMessage.Visited}, or
     * {@link ForkMessage.Finished} if it has failed.
     */
    record KeepWarm(int number, long nanos) implements ForkOrder {}

    /**
     * Measure one visit of an open trial. The answer is {@link ForkMessage.Visited}, or {@link ForkMessage.Finished} if
     * it has failed.
     *
     * @param round of visits to all open trials
     * @param nanos of the window
     */
    record MeasureVisit(int number, int round, long nanos) implements ForkOrder {}

    /** Answer with the results of an open trial's visits since the last account, and keep it open. */
    record Results(int number) implements ForkOrder {}

    /** End an open trial, and answer with its results since the last account. */
    record Finish(int number) implements ForkOrder {}

    /** How many messages answer it at most. */
    default int answers() {
        if (this instanceof Measure) {
            return 2; // ready, and finished
        }
        return this instanceof Begin || this instanceof Go || this instanceof Stop ? 0 : 1;
    }

    default String toLine() {
        return ForkMessage.MAPPER.writeValueAsString(this);
    }

    static ForkOrder ofLine(String line) {
        return ForkMessage.MAPPER.readValue(line, ForkOrder.class);
    }
}
