package dev.blobmark.lab.guest;

import java.util.List;

/** A server, or the account on it, does not allow what a run needs. The message has each reason with its mend. */
public final class GuestException extends RuntimeException {

    public GuestException(String message) {
        super(message);
    }

    public GuestException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Before anything was written. */
    static GuestException refused(String server, List<String> problems) {
        return new GuestException(server + " does not allow this run; nothing was written to it:\n  - "
                + String.join("\n  - ", problems));
    }
}
