package dev.blobmark.reencode.terms;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How far a change is.
 *
 * @param step {@code changing}, {@code reverting}, {@code changed} or {@code reverted}
 * @param rows that are done, by this process and those before it
 * @param tableRows estimate of all rows
 * @param changed rows whose stored bytes were changed
 * @param overtaken rows that others changed or deleted just before they were written
 * @param bytesBefore stored bytes of the rows that are done, as they were
 * @param bytesAfter stored bytes of these rows now
 * @param binlogBytes estimate of what was written to the binary log
 * @param seconds since this process began
 * @param pausedSeconds of these, those in which it waited
 * @param secondsLeft estimate; empty at first
 * @param waiting why it waits now
 */
public record Progress(
        String step,
        long rows,
        long tableRows,
        long changed,
        long overtaken,
        long bytesBefore,
        long bytesAfter,
        long binlogBytes,
        double seconds,
        double pausedSeconds,
        OptionalDouble secondsLeft,
        Optional<String> waiting) {

    /** The same rows at another time. */
    public Progress at(double now, double paused, Optional<String> reason) {
        return new Progress(
                step,
                rows,
                tableRows,
                changed,
                overtaken,
                bytesBefore,
                bytesAfter,
                binlogBytes,
                now,
                paused,
                secondsLeft,
                reason);
    }

    /** With an estimate of the time that is left. */
    public Progress with(double left) {
        return new Progress(
                step,
                rows,
                tableRows,
                changed,
                overtaken,
                bytesBefore,
                bytesAfter,
                binlogBytes,
                seconds,
                pausedSeconds,
                OptionalDouble.of(left),
                waiting);
    }
}
