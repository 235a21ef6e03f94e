package dev.blobmark.reencode.throttle;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * What one of several writers may do for a short time. Whoever directs them grants it again and again; a writer that
 * does not receive it waits.
 *
 * @param speed share of the time in which the writer works, in percent: 1 to 100
 * @param binlogRate bytes of the binary log that it may fill in a second; empty for no limit
 * @param reasonToWait why it must wait; empty if it may continue
 * @param isEnd whether it must end after its transaction
 */
public record Budget(int speed, OptionalLong binlogRate, Optional<String> reasonToWait, boolean isEnd) {

    /** How often it is granted. */
    public static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    public static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(2);

    public static final Budget END = new Budget(100, OptionalLong.empty(), Optional.empty(), true);
}
