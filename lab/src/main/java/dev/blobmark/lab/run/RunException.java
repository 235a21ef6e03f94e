package dev.blobmark.lab.run;

/** A run directory that cannot be created, written or read: the place, the reason, and what to do. */
public final class RunException extends RuntimeException {

    private final String place;
    private final String reason;
    private final String remedy;

    /**
     * @param place file or directory, with the line's number if there is one
     * @param reason what is wrong
     * @param remedy what the user can do
     */
    public RunException(String place, String reason, String remedy, Throwable cause) {
        super(place + ": " + reason + "; " + remedy, cause);
        this.place = place;
        this.reason = reason;
        this.remedy = remedy;
    }

    public RunException(String place, String reason, String remedy) {
        this(place, reason, remedy, null);
    }

    public String place() {
        return place;
    }

    public String reason() {
        return reason;
    }

    public String remedy() {
        return remedy;
    }
}
