package dev.blobmark.lab.dataset;

/** Values are not available. The message states the place, the reason and what to do. */
public final class DatasetException extends RuntimeException {

    DatasetException(Object place, String reason, String remedy) {
        super(place + ": " + reason + "; " + remedy);
    }

    DatasetException(Object place, String reason, String remedy, Throwable cause) {
        super(place + ": " + reason + "; " + remedy, cause);
    }
}
