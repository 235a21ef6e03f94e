package dev.blobmark.codec;

/** Bytes that a codec cannot decode, or a target that is too small. Says which codec and what was wrong. */
public final class CodecException extends RuntimeException {

    private final String codec;

    public CodecException(String codec, String message) {
        super(codec + ": " + message);
        this.codec = codec;
    }

    public CodecException(String codec, String message, Throwable cause) {
        super(codec + ": " + message, cause);
        this.codec = codec;
    }

    /** The {@link Codec#id()} of the codec. */
    public String codec() {
        return codec;
    }
}
