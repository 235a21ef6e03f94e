package dev.blobmark.mysql.admission;

import java.util.List;

/** A server, or the account on it, does not allow what a run needs. The message has all reasons with their remedies. */
public final class AdmissionException extends RuntimeException {

    public AdmissionException(String message) {
        super(message);
    }

    public AdmissionException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The error of checks that were made before anything was written. */
    public static AdmissionException refused(String server, List<String> problems) {
        return new AdmissionException(server + " does not allow this run; nothing was written to it:\n  - "
                + String.join("\n  - ", problems));
    }
}
