package dev.blobmark.reencode;

import dev.blobmark.reencode.checkpoint.Counts;
import dev.blobmark.reencode.checkpoint.State;
import dev.blobmark.reencode.inplace.InPlace;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.terms.ReencodeListener;
import dev.blobmark.reencode.throttle.Throttle;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/** What is said while a change works. */
final class Reports {

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The rate of the last time that the time that is left follows from. */
    private static final long RATE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Time in which two tables are compared ÷ that of copying; 0.4 to 0.6 with MySQL 9.7 and MariaDB 11.4. */
    private static final double COMPARISON = 0.5;

    private final ReencodeListener listener;
    private final Throttle throttle;
    private final long beginNanos = System.nanoTime();
    private volatile Optional<Progress> last = Optional.empty();
    private volatile Optional<String> lost = Optional.empty();
    private volatile long progressNanos;

    Reports(ReencodeListener listener, Throttle throttle) {
        this.listener = listener;
        this.throttle = throttle;
    }

    /** What was reported last; empty before the first state is known. */
    Optional<Progress> last() {
        return last;
    }

    /** When rows were committed last. */
    long progressNanos() {
        return progressNanos;
    }

    boolean isLost() {
        return lost.isPresent();
    }

    /** Says so once until it is found again. */
    void lost(String reason) {
        if (lost.isEmpty()) {
            listener.noticeIssued(reason);
        }
        lost = Optional.of(reason);
    }

    void found() {
        lost = Optional.empty();
    }

    /** A line of JSON: {@link Progress}, as of now. */
    String status() {
        return State.MAPPER.writeValueAsString(
                last.map(now -> now.at(seconds(), pausedSeconds(), lost.or(throttle::waiting))));
    }

    private double seconds() {
        return (System.nanoTime() - beginNanos) / 1e9;
    }

    private double pausedSeconds() {
        return throttle.pausedNanos() / 1e9;
    }

    Progress progress(State state, long tableRows) {
        Counts counts = state.counts();
        Progress now = new Progress(
                state.phase().name().toLowerCase(Locale.ROOT),
                counts.rows(),
                Math.max(tableRows, counts.rows()),
                counts.changed(),
                counts.overtaken(),
                counts.bytesBefore(),
                counts.bytesAfter(),
                counts.binlogBytes(),
                seconds(),
                pausedSeconds(),
                OptionalDouble.empty(),
                throttle.waiting());
        last = Optional.of(now);
        return now;
    }

    /** Rows that were done at a time. */
    private record Done(long nanos, long rows) {}

    /** Reports now and then, with the time that is left. */
    final class Reporting implements InPlace.Listener {
        private final long tableRows;
        private final ArrayDeque<Done> reported = new ArrayDeque<>();
        private boolean isRepeating;

        Reporting(long tableRows, long beginRows) {
            this.tableRows = tableRows;
            reported.add(new Done(System.nanoTime(), beginRows));
        }

        /** By the rate of the last minute, and of the second half of the time: programs are slower when they begin. */
        Progress of(State state) {
            Progress now = progress(state, tableRows);
            long nanos = System.nanoTime() - reported.getFirst().nanos();
            long done = now.rows() - reported.getFirst().rows();
            if (done > 0 && state.isUnderWay()) {
                double more = state.isCopying() ? COMPARISON * now.tableRows() : 0;
                now = now.with(nanos / 1e9 / done * (now.tableRows() - now.rows() + more));
                last = Optional.of(now);
            }
            return now;
        }

        private void forget(long nanos) {
            long since = Math.max(nanos - RATE_NANOS, nanos / 2 + beginNanos / 2);
            while (reported.size() > 2 && reported.getFirst().nanos() < since) {
                reported.removeFirst();
            }
        }

        /** Says so once for each wait. */
        @Override
        public void repeated(String reason) {
            if (!isRepeating) {
                listener.noticeIssued("a transaction is made again: " + reason);
            }
            isRepeating = true;
        }

        @Override
        public void committed(State state) {
            isRepeating = false;
            progressNanos = System.nanoTime();
            Progress now = of(state);
            if (progressNanos - reported.getLast().nanos() >= REPORT_NANOS) {
                reported.add(new Done(progressNanos, now.rows()));
                forget(progressNanos);
                listener.progressed(now);
            }
        }
    }
}
