package dev.blobmark.lab.study;

import java.time.Duration;

/** How long a trial is measured. */
public sealed interface Window {

    /** Until a time has passed; the operation under way then is still counted, with its whole time. */
    record Time(Duration length) implements Window {
        public Time {
            if (length.isNegative() || length.isZero()) {
                throw new IllegalArgumentException(
                        "a window of " + length + " measures nothing; give it 100ms or more");
            }
        }
    }

    /** Until a number of operations has been completed, by all workers together. */
    record Count(long operations) implements Window {
        public Count {
            if (operations < 1) {
                throw new IllegalArgumentException("a window of " + operations + " operations measures nothing");
            }
        }
    }
}
