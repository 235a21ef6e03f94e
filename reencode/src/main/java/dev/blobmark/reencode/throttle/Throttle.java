package dev.blobmark.reencode.throttle;

import dev.blobmark.mysql.Clock;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Limits the share of the time in which the work runs, how fast it fills the binary log, and stops it while a
 * {@link Signal} asks for that. The limits may be changed by any thread while it works; {@link #waiting} and
 * {@link #pausedNanos} may be read by any thread, and all else belongs to the one that works.
 */
public final class Throttle {

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The most unused bytes of the log that may be written at once later. */
    private static final double MAX_SAVED_SECONDS = 1;

    private final Clock clock;
    private final Consumer<String> notes;
    private List<Signal> signals = List.of();
    private volatile int speed;
    private volatile OptionalLong binlogRate;
    private volatile Optional<String> waiting = Optional.empty();
    private volatile long pausedNanos;
    private boolean isAnnounced;
    private long budgetedNanos;
    private long owedNanos;
    private double allowance;
    private long refilledNanos;

    /**
     * @param speed share of the time in which the work runs, in percent: 1 to 100
     * @param binlogRate bytes of the binary log in a second at most, averaged over the whole work: a transaction is
     *     written at once, and then waited for
     * @param notes receives a line when waiting begins or ends
     */
    public Throttle(int speed, OptionalLong binlogRate, Clock clock, Consumer<String> notes) {
        this.clock = clock;
        this.notes = notes;
        refilledNanos = clock.nanoTime();
        setSpeed(speed);
        setBinlogRate(binlogRate);
    }

    /** Replaces what is asked before each transaction, in this order. */
    public void setSignals(List<Signal> asked) {
        signals = List.copyOf(asked);
    }

    /** @throws IllegalArgumentException if it is not 1 to 100 */
    public void setSpeed(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("speed is " + percent + "; it is 1 to 100 percent of the time");
        }
        speed = percent;
    }

    public int speed() {
        return speed;
    }

    /** @throws IllegalArgumentException if it is not positive */
    public void setBinlogRate(OptionalLong bytesPerSecond) {
        if (bytesPerSecond.isPresent() && bytesPerSecond.getAsLong() < 1) {
            throw new IllegalArgumentException("a rate of " + bytesPerSecond.getAsLong() + " bytes in a second");
        }
        binlogRate = bytesPerSecond;
    }

    public OptionalLong binlogRate() {
        return binlogRate;
    }

    /** Why the work waits now. */
    public Optional<String> waiting() {
        return waiting;
    }

    /** Time in which the work waited, in nanoseconds. */
    public long pausedNanos() {
        return pausedNanos;
    }

    /** Waits until the work may continue. */
    public void awaitPermission() {
        long begin = clock.nanoTime();
        while (clock.nanoTime() - begin < owedNanos && reason().isEmpty()) {
            waitFor(begin + owedNanos - clock.nanoTime());
        }
        owedNanos = 0;
        while (ask().isPresent()) {
            waitFor(POLL_NANOS);
        }
        awaitAllowance();
        pausedNanos += clock.nanoTime() - begin;
    }

    /**
     * What each of several writers may do until this is called again, without waiting. They share the binary log.
     * {@link #pausedNanos} counts the time in which a signal asks all of them to wait.
     */
    public Budget budget(int writers) {
        long now = clock.nanoTime();
        if (waiting.isPresent()) {
            pausedNanos += now - budgetedNanos;
        }
        budgetedNanos = now;
        OptionalLong rate = binlogRate;
        return new Budget(
                speed,
                rate.isPresent() ? OptionalLong.of(Math.max(1, rate.getAsLong() / writers)) : rate,
                ask(),
                false);
    }

    /** Why the work must wait; says when that begins and ends. */
    private Optional<String> ask() {
        Optional<String> reason = reason();
        if (reason.isPresent() != isAnnounced) {
            notes.accept(reason.map(why -> "paused: " + why).orElse("continuing"));
        }
        isAnnounced = reason.isPresent();
        waiting = reason;
        return reason;
    }

    private void waitFor(long nanos) {
        clock.waitUntil(clock.nanoTime() + Math.min(nanos, POLL_NANOS));
    }

    private Optional<String> reason() {
        for (Signal signal : signals) {
            Optional<String> reason = signal.reasonToWait();
            if (reason.isPresent()) {
                return reason;
            }
        }
        return Optional.empty();
    }

    private void awaitAllowance() {
        for (OptionalLong limit = binlogRate; limit.isPresent(); limit = binlogRate) {
            long rate = limit.getAsLong();
            long now = clock.nanoTime();
            allowance = Math.min(rate * MAX_SAVED_SECONDS, allowance + rate * (now - refilledNanos) / 1e9);
            refilledNanos = now;
            if (allowance >= 0) {
                break;
            }
            waiting = Optional.of("the binary log takes " + rate + " bytes in a second");
            reason(); // may end the work
            waitFor((long) Math.ceil(-allowance / rate * 1e9));
        }
        waiting = Optional.empty();
    }

    /**
     * Counts work, for which a pause is owed.
     *
     * @param nanos that it took
     * @param binlogBytes that it wrote to the binary log
     */
    public void worked(long nanos, long binlogBytes) {
        owedNanos = Math.round(nanos * (100.0 / speed - 1));
        if (binlogRate.isPresent()) {
            allowance -= binlogBytes;
        } else {
            allowance = 0; // a limit that is set later counts from then on
            refilledNanos = clock.nanoTime();
        }
    }
}
