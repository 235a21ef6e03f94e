package dev.blobmark.lab.fork;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.blobmark.lab.plan.ForkPlan;
import dev.blobmark.lab.plan.Share;
import dev.blobmark.lab.study.Trial;
import dev.blobmark.lab.study.Window;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a parent tells a measuring JVM, a line each. Holds the server's password, so it goes through standard input and
 * nowhere else. All but {@link Begin}, and the server's process in a place, would mean the same on another host, where it
 * has the files of certificates at the same places.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "order")
@JsonSubTypes({
    @JsonSubTypes.Type(value = ForkOrder.Begin.class, name = "begin"),
    @JsonSubTypes.Type(value = ForkOrder.Measure.class, name = "measure"),
    @JsonSubTypes.Type(value = ForkOrder.Go.class, name = "go"),
    @JsonSubTypes.Type(value = ForkOrder.Stop.class, name = "stop"),
    @JsonSubTypes.Type(value = ForkOrder.Open.class, name = "open"),
    @JsonSubTypes.Type(value = ForkOrder.WarmUp.class, name = "warm-up"),
    @JsonSubTypes.Type(value = ForkOrder.Visit.class, name = "visit"),
    @JsonSubTypes.Type(value = ForkOrder.Account.class, name = "account"),
    @JsonSubTypes.Type(value = ForkOrder.Finish.class, name = "finish")
})
public sealed interface ForkOrder {

    /** The first order: where this host keeps encoded values. */
    record Begin(List<String> valuesDirectories) implements ForkOrder {}

    /**
     * Warm up for a trial, say {@link ForkMessage.Ready}, and go on warming up.
     *
     * @param values the name of the encoded values, below one of the directories
     * @param codePath equal for trials that run through the same code of client and driver
     * @param window as scheduled
     * @param linkFile by which the processes of the trial share its link; empty for one process
     * @param seed the same for all processes of the trial
     */
    record Measure(
            Trial trial,
            String values,
            Optional<ForkPlan.Place> place,
            Share share,
            Optional<String> linkFile,
            String codePath,
            Window window,
            Duration warmUp,
            long seed)
            implements ForkOrder {}

    /** All processes of the trial are ready: measure the window. */
    record Go() implements ForkOrder {}

    /** Another process has failed at the trial: it is not worth going on. Says nothing to one that has finished. */
    record Stop() implements ForkOrder {}

    /**
     * Open a trial and warm it up, and keep it: say {@link ForkMessage.Ready} then, or {@link ForkMessage.Finished} if it has failed.
     *
     * @param number by which it is called from then on
     * @param how of all its processes the only one
     */
    record Open(int number, Measure how) implements ForkOrder {}

    /** Go on with an open trial without measuring it: say {@link ForkMessage.Visited} then, or {@link ForkMessage.Finished} if it has failed. */
    record WarmUp(int number, long nanos) implements ForkOrder {}

    /**
     * Measure an open trial once more: say {@link ForkMessage.Visited} then, or {@link ForkMessage.Finished} if it has failed.
     *
     * @param round in which all open trials are visited
     * @param nanos of the window
     */
    record Visit(int number, int round, long nanos) implements ForkOrder {}

    /** Say what an open trial has given in the visits since this was asked last, and keep it open. */
    record Account(int number) implements ForkOrder {}

    /** End an open trial, and say what it gave. */
    record Finish(int number) implements ForkOrder {}

    default String toLine() {
        return ForkMessage.MAPPER.writeValueAsString(this);
    }

    static ForkOrder ofLine(String line) {
        return ForkMessage.MAPPER.readValue(line, ForkOrder.class);
    }
}
