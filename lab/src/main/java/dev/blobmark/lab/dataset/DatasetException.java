package dev.blobmark.lab.dataset;

/** Values that cannot be had from where they should come from. The message names the place, the reason and the mend. */
public final class DatasetException extends RuntimeException {

    DatasetException(Object place, String reason, String mend) {
        super(place + ": " + reason + "; " + mend);
    }

    DatasetException(Object place, String reason, String mend, Throwable cause) {
        super(place + ": " + reason + "; " + mend, cause);
    }
}
