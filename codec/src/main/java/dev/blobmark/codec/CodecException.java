package dev.blobmark.codec;

/** Bytes that a codec cannot decode, or a target that is too small. Says which codec and what was wrong. */
public final class CodecException extends RuntimeException {

    private final String codec;
    private final boolean isTooLong;

    public CodecException(String codec, String message) {
        super(codec + ": " + message);
        this.codec = codec;
        isTooLong = false;
    }

    public CodecException(String codec, String message, Throwable cause) {
        super(codec + ": " + message, cause);
        this.codec = codec;
        isTooLong = false;
    }

    /** A value that is longer than the caller allowed. */
    CodecException(String codec, int maxLength) {
        super(codec + ": the value is longer than the " + maxLength + " bytes allowed");
        this.codec = codec;
        isTooLong = true;
    }

    /** The {@link Codec#id()} of the codec. */
    public String codec() {
        return codec;
    }

    /** Whether the value is longer than the caller allowed, as far as was decoded; the rest may be damaged. */
    public boolean isTooLong() {
        return isTooLong;
    }
}
