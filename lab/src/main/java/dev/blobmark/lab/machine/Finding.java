package dev.blobmark.lab.machine;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * The result of a check of one property of the machine or of the server.
 *
 * @param what the property: {@code governor}
 * @param observed its value here, with units
 * @param why how it affects a measurement; for {@link Level#UNKNOWN}, why the value is not known; empty for
 *     {@link Level#OK}
 * @param remedy what to do about it; empty if there is nothing to do
 */
public record Finding(String what, String observed, Level level, String why, String remedy) {

    /** Severity of a finding. */
    public enum Level {
        /** Good for a measurement. */
        OK,
        /** Worth knowing when figures are read or compared. */
        NOTE,
        /** Figures will be noisy, or wrong for the question. */
        WARNING,
        /** The system does not report the property. */
        UNKNOWN;

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Finding {
        if (what.isBlank() || observed.isBlank()) {
            throw new IllegalArgumentException("a finding needs the property and its value");
        }
        if ((level == Level.OK) != why.isEmpty()) {
            throw new IllegalArgumentException(what + ": a finding that is not OK needs a reason");
        }
        if (level == Level.WARNING && remedy.isEmpty()) {
            throw new IllegalArgumentException(what + ": a warning needs a remedy");
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
