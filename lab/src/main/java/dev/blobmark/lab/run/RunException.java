package dev.blobmark.lab.run;

/** A run directory that cannot be made, written or read: where, why, and what to do about it. */
public final class RunException extends RuntimeException {

    private final String place;
    private final String reason;
    private final String mend;

    /**
     * @param place file or directory, with the line's number where there is one
     * @param reason what is wrong there
     * @param mend what the user can do
     */
    public RunException(String place, String reason, String mend, Throwable cause) {
        super(place + ": " + reason + "; " + mend, cause);
        this.place = place;
        this.reason = reason;
        this.mend = mend;
    }

    public RunException(String place, String reason, String mend) {
        this(place, reason, mend, null);
    }

    public String place() {
        return place;
    }

    public String reason() {
        return reason;
    }

    public String mend() {
        return mend;
    }
}
