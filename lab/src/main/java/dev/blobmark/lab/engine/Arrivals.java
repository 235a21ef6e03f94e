package dev.blobmark.lab.engine;

import dev.blobmark.lab.plan.Load;
import dev.blobmark.lab.study.Window;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The timetable of an open loop, shared by the workers of a trial. A free worker takes the next arrival in order, if
 * possible before it is due. So if an arrival is due and not taken, all workers are busy.
 *
 * <p>Arrivals are computed when they are taken, so waiting ones need no memory. Nothing is allocated here.
 */
final class Arrivals {

    /** Returned instead of an intended start if there are no more arrivals. */
    static final long NONE = Long.MAX_VALUE;

    /** An arrival that has not been started this long after it was due is dropped, like a user who gives up. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Load.Open load;
    private final SplittableRandom gaps;

    /** How long arrivals are offered, from the start. */
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
        // half a gap before the first and after the last, so that a window has exactly its share of evenly spaced
        // arrivals
        this.nextNanos = load.spacing() == Load.Spacing.CONSTANT ? load.meanGapNanos() / 2 : gap();
    }

    /** The arrivals of a window. A window that is a number of operations lasts as long as these take at the rate. */
    static Arrivals in(Window window, Load.Open load, long seed) {
        return new Arrivals(
                load,
                window instanceof Window.Time time
                        ? time.length().toNanos()
                        : (long) (((Window.Count) window).operations() * load.meanGapNanos()),
                seed);
    }

    /** The arrivals of a warm-up, without an end. */
    static Arrivals endless(Load.Open load, long seed) {
        return new Arrivals(load, Long.MAX_VALUE, seed);
    }

    /** Begins the timetable on the first call; returns the start for all workers. */
    synchronized long begin(long nowNanos) {
        if (!hasBegun) {
            hasBegun = true;
            startNanos = nowNanos;
        }
        return startNanos;
    }

    /**
     * Takes the next arrival that can still be started, and drops those that have waited too long.
     *
     * @return its intended start, possibly in the future; {@link #NONE} if there are no more, or the window is over
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

    /** Drops all arrivals that have not been taken. */
    synchronized void end() {
        while (hasNext()) {
            dropped++;
            advance();
        }
    }

    /** Number of arrivals that were due, started or not. */
    synchronized long offered() {
        return offered;
    }

    /** Number of arrivals that were not started. */
    synchronized long dropped() {
        return dropped;
    }

    /** Mean number of arrivals offered per second. */
    double perSecond() {
        return load.perSecond();
    }

    /** How long arrivals are offered, in nanoseconds. */
    long spanNanos() {
        return spanNanos;
    }

    private boolean hasNext() {
        return nextNanos < spanNanos;
    }

    private void advance() {
        offered++;
        // computed from the number, so that rounding errors do not add up
        nextNanos = load.spacing() == Load.Spacing.CONSTANT ? (offered + 0.5) * load.meanGapNanos() : nextNanos + gap();
    }

    private double gap() {
        return -Math.log1p(-gaps.nextDouble()) * load.meanGapNanos();
    }
}
