package dev.blobmark.lab.machine;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * What a look at one property of the machine or of the server gave.
 *
 * @param what the property: {@code governor}
 * @param observed what it is here, with units
 * @param why what it does to a measurement; for {@link Level#UNKNOWN}, why it cannot be told; empty where all is well
 * @param remedy what to do about it; empty where there is nothing to do
 */
public record Finding(String what, String observed, Level level, String why, String remedy) {

    /** How much it matters. */
    public enum Level {
        /** As a measurement likes it. */
        OK,
        /** Worth knowing when figures are read or compared. */
        NOTE,
        /** Figures will be noisy, or wrong for the question. */
        WARNING,
        /** The system does not tell. */
        UNKNOWN;

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Finding {
        if (what.isBlank() || observed.isBlank()) {
            throw new IllegalArgumentException("a finding says what was looked at, and what was seen");
        }
        if ((level == Level.OK) != why.isEmpty()) {
            throw new IllegalArgumentException(what + ": a finding has a reason unless all is well");
        }
        if (level == Level.WARNING && remedy.isEmpty()) {
            throw new IllegalArgumentException(what + ": a warning says what to do");
        }
    }

    static Finding ok(String what, String observed) {
        return new Finding(what, observed, Level.OK, "", "");
    }

    static Finding note(String what, String observed, String why, String remedy) {
        return new Finding(what, observed, Level.NOTE, why, remedy);
    }

    static Finding warning(String what, String observed, String why, String remedy) {
        return new Finding(what, observed, Level.WARNING, why, remedy);
    }

    static Finding unknown(String what, String why) {
        return new Finding(what, "unknown", Level.UNKNOWN, why, "");
    }

    public boolean isWarning() {
        return level == Level.WARNING;
    }
}
