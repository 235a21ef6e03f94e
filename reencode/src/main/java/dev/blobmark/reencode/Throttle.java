package dev.blobmark.reencode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Limits how much of the time the work goes on, how fast it fills the binary log, and stops it while a {@link Signal}
 * asks for that. The limits may be changed by any thread while it works.
 */
final class Throttle {

    private static final long POLL_MILLIS = 100;

    /** The most unused bytes of the log that may be written at once later. */
    private static final double MAX_SAVED_SECONDS = 1;

    private final List<Signal> signals = new ArrayList<>();
    private final Consumer<String> notes;
    private volatile int speed;
    private volatile OptionalLong binlogRate;
    private volatile Optional<String> waiting = Optional.empty();
    private long owedNanos;
    private long binlogBytes = -1;
    private double allowance;
    private long refilledNanos = System.nanoTime();
    private long pausedNanos;

    /**
     * @param speed share of the time in which the work goes on, in percent: 1 to 100
     * @param binlogRate bytes of the binary log in a second at most
     * @param notes receives a line when waiting begins or ends
     */
    Throttle(int speed, OptionalLong binlogRate, Consumer<String> notes) {
        this.speed = speed;
        this.binlogRate = binlogRate;
        this.notes = notes;
    }

    void add(Signal signal) {
        signals.add(signal);
    }

    void setSpeed(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("speed is " + percent + "; it is 1 to 100 percent of the time");
        }
        speed = percent;
    }

    int speed() {
        return speed;
    }

    void setBinlogRate(OptionalLong bytesPerSecond) {
        binlogRate = bytesPerSecond;
    }

    OptionalLong binlogRate() {
        return binlogRate;
    }

    /** Why the work waits now. */
    Optional<String> waiting() {
        return waiting;
    }

    /** Time in which the work waited, in nanoseconds. */
    long pausedNanos() {
        return pausedNanos;
    }

    /** Waits until the work may go on. */
    void awaitPermission() throws InterruptedException {
        long begin = System.nanoTime();
        for (long left = owedNanos; left > 0 && reason().isEmpty(); left = begin + owedNanos - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS)));
        }
        owedNanos = 0;
        boolean isAnnounced = false;
        for (Optional<String> reason = reason(); reason.isPresent(); reason = reason()) {
            if (!isAnnounced) {
                notes.accept("paused: " + reason.get());
                isAnnounced = true;
            }
            waiting = reason;
            Thread.sleep(POLL_MILLIS);
        }
        if (isAnnounced) {
            waiting = Optional.empty();
            notes.accept("continuing");
        }
        awaitAllowance();
        pausedNanos += System.nanoTime() - begin;
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

    private void awaitAllowance() throws InterruptedException {
        while (binlogRate.isPresent()) {
            long rate = binlogRate.getAsLong();
            long now = System.nanoTime();
            allowance = Math.min(rate * MAX_SAVED_SECONDS, allowance + rate * (now - refilledNanos) / 1e9);
            refilledNanos = now;
            if (allowance >= 0) {
                return;
            }
            reason(); // may end the work
            Thread.sleep(Math.max(1, Math.min(POLL_MILLIS, Math.round(-allowance / rate * 1_000))));
        }
    }

    /**
     * Counts work, for which a pause is owed.
     *
     * @param nanos that it took
     * @param binlogBytesNow all bytes of the binary log so far
     */
    void worked(long nanos, long binlogBytesNow) {
        owedNanos = Math.round(nanos * (100.0 / speed - 1));
        if (binlogBytes >= 0) {
            allowance -= binlogBytesNow - binlogBytes;
        }
        binlogBytes = binlogBytesNow;
    }
}
