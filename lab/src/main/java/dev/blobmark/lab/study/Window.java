package dev.blobmark.lab.study;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.time.Duration;

/** How long a trial is measured in one round. */
@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
@JsonSubTypes({@JsonSubTypes.Type(Window.Time.class), @JsonSubTypes.Type(Window.Count.class)})
public sealed interface Window {

    /**
     * Reads {@code 1s}, {@code 250ms} or {@code 50000ops}.
     *
     * @throws IllegalArgumentException with the reason and the remedy
     */
    static Window parse(String text) {
        if (text.matches("[0-9]{1,15} ?ops")) {
            return new Count(Long.parseLong(text.replaceFirst(" ?ops", "")));
        }
        try {
            return new Time(Durations.parse(text));
        } catch (Durations.NotADuration e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is neither a time nor a number of operations; write 1s, 250ms or 50000ops", e);
        }
    }

    /** Until a time has passed. An operation that has not ended then is counted with its whole time. */
    record Time(Duration length) implements Window {
        public Time {
            if (length.isNegative() || length.isZero()) {
                throw new IllegalArgumentException(
                        "a window of " + Durations.print(length) + " measures nothing; give 100ms or more");
            }
        }

        @Override
        public String toString() {
            return Durations.print(length);
        }
    }

    /** Until all workers together have completed a number of operations. */
    record Count(long operations) implements Window {
        public Count {
            if (operations < 1) {
                throw new IllegalArgumentException(
                        "a window of " + operations + " operations measures nothing; give 1ops or more");
            }
        }

        @Override
        public String toString() {
            return operations + "ops";
        }
    }
}
