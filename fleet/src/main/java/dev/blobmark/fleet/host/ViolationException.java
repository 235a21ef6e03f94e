package dev.blobmark.fleet.host;

import java.io.IOException;

/** The other side has sent what it must not send. Its connection is closed. */
public final class ViolationException extends IOException {

    private static final long serialVersionUID = 1;

    /** @param message what it has sent: "a message of the type 7, which is not known here" */
    public ViolationException(String message) {
        super(message);
    }
}
