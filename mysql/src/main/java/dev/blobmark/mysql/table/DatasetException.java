package dev.blobmark.mysql.table;

/** Values are not available. The message states the place, the reason and what to do. */
public final class DatasetException extends RuntimeException {

    private final String reason;

    public DatasetException(Object place, String reason, String remedy) {
        this(place, reason, remedy, null);
    }

    public DatasetException(Object place, String reason, String remedy, Throwable cause) {
        super(place + ": " + reason + "; " + remedy, cause);
        this.reason = reason;
    }

    public String reason() {
        return reason;
    }
}
