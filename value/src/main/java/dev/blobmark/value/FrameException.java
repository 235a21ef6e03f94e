package dev.blobmark.value;

/** A stored value that cannot be read. Nothing was returned in its place. */
public final class FrameException extends RuntimeException {

    /** What is wrong with a stored value. */
    public enum Reason {
        /** It begins like a frame, but its header is not one: it was truncated, or was stored without this format. */
        NOT_A_FRAME,
        /** A newer version of the format. */
        NEWER_VERSION,
        /** A codec or a flag that this version does not know. */
        UNKNOWN_CODEC,
        /** The dictionary that the value was encoded with was not found. */
        MISSING_DICTIONARY,
        /** The header is right, and the rest cannot be decoded, or has another checksum. */
        DAMAGED,
        /** The value is longer than this format reads; see {@link ValueFormat.Builder#maxLength}. */
        TOO_LONG;

        /** Whether the bytes may be something else that begins like a frame, such as a value from before. */
        public boolean isOfOthers() {
            return this == NOT_A_FRAME || this == NEWER_VERSION || this == UNKNOWN_CODEC;
        }
    }

    private final Reason reason;

    FrameException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    FrameException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
