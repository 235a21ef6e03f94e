package dev.blobmark.lab.engine;

import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.study.Window;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The timetable of an open loop, shared by the workers of a trial: whichever is free takes the next arrival, in order, before
 * it is due where it can. So an arrival that is due and not taken finds all workers busy.
 *
 * <p>Arrivals are drawn when they are taken. However many wait, they take no memory. Nothing is allocated here.
 */
final class Arrivals {

    /** Instead of an intended start: nothing more is to be started. */
    static final long NONE = Long.MAX_VALUE;

    /** An arrival that has not been started so long after it was due is given up, as a user would. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Load.Open load;
    private final SplittableRandom gaps;

    /** Arrivals are offered from the start for so long. */
    private final long spanNanos;

    private boolean hasBegun;
    private long startNanos;
    private double nextNanos;
    private long offered;
    private long dropped;

    private Arrivals(Load.Open load, long spanNanos, long seed) {
        this.load = load;
        this.spanNanos = spanNanos;
        this.gaps = new SplittableRandom(seed);
        // half a gap before the first and after the last: a window has exactly its share of evenly spaced arrivals
        this.nextNanos = load.spacing() == Load.Spacing.CONSTANT ? load.meanGapNanos() / 2 : gap();
    }

    /** Those of a window. One that is a number of operations is as long as so many take at the rate. */
    static Arrivals in(Window window, Load.Open load, long seed) {
        return new Arrivals(
                load,
                window instanceof Window.Time time
                        ? time.length().toNanos()
                        : (long) (((Window.Count) window).operations() * load.meanGapNanos()),
                seed);
    }

    /** Those of a warm-up, without an end. */
    static Arrivals endless(Load.Open load, long seed) {
        return new Arrivals(load, Long.MAX_VALUE, seed);
    }

    /** The first who says that it is time to begin is right; returns the start for all. */
    synchronized long begin(long nowNanos) {
        if (!hasBegun) {
            hasBegun = true;
            startNanos = nowNanos;
        }
        return startNanos;
    }

    /**
     * Takes the next arrival that can still be started; those that have waited too long are dropped.
     *
     * @return its intended start, perhaps yet to come; {@link #NONE} if there is none left or the window is over
     */
    synchronized long take(long nowNanos) {
        long elapsed = nowNanos - startNanos;
        while (hasNext() && nextNanos < elapsed - PATIENCE_NANOS) {
            dropped++;
            advance();
        }
        if (!hasNext() || elapsed >= spanNanos) {
            return NONE;
        }
        long intended = startNanos + (long) nextNanos;
        advance();
        return intended;
    }

    /** No more is taken; what was still to be offered is dropped. */
    synchronized void end() {
        while (hasNext()) {
            dropped++;
            advance();
        }
    }

    /** Those that were due, started or not. */
    synchronized long offered() {
        return offered;
    }

    /** Those that nobody started. */
    synchronized long dropped() {
        return dropped;
    }

    /** How many are offered in a second, on average. */
    double perSecond() {
        return load.perSecond();
    }

    /** For how long arrivals are offered. */
    long spanNanos() {
        return spanNanos;
    }

    private boolean hasNext() {
        return nextNanos < spanNanos;
    }

    private void advance() {
        offered++;
        // from the number, not by adding up, so that no rounding adds up either
        nextNanos = load.spacing() == Load.Spacing.CONSTANT ? (offered + 0.5) * load.meanGapNanos() : nextNanos + gap();
    }

    private double gap() {
        return -Math.log1p(-gaps.nextDouble()) * load.meanGapNanos();
    }
}
