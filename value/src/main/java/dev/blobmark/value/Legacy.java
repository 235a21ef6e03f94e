package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.codec.Codecs;
import dev.blobmark.value.FrameException.Reason;
import java.util.Arrays;
import java.util.Optional;

/** How values are read that were stored before the value format: all of a column in one way. */
public final class Legacy {

    /** They are the values themselves. */
    public static final Legacy RAW = new Legacy(Optional.empty());

    /**
     * There are none: every value of the column was written by this format, and has a frame with a checksum, whether it
     * is encoded or not. So whatever is changed in a stored value, no other value is returned. A raw value takes 9 to
     * 12 bytes more.
     */
    public static final Legacy NONE = new Legacy(Optional.empty());

    private final Optional<Codec> codec;

    private Legacy(Optional<Codec> codec) {
        this.codec = codec;
    }

    /**
     * All of them were encoded by one codec. An empty value is also read as one.
     *
     * @param codec {@code gzip}, {@code zlib}, {@code zstd}, {@code mysql} for {@code COMPRESS()}, {@code lz4} for a
     *     block after its length, or another one of {@link Codecs}
     * @throws IllegalArgumentException if there is no such codec; {@code none} is none: it could be {@link #RAW} or
     *     {@link #NONE}
     */
    public static Legacy encodedBy(String codec) {
        Codec parsed = Codecs.parse(codec);
        if (parsed.isIdentity()) {
            throw new IllegalArgumentException(
                    "'" + codec + "' is not a codec of legacy values: it is 'raw' if they are"
                            + " the values themselves, and 'frames' if all values of the column have one");
        }
        return new Legacy(Optional.of(parsed));
    }

    /**
     * The same by a word, for settings: {@code raw}, {@code frames} for {@link #NONE}, or a codec as {@link #encodedBy}
     * takes it.
     *
     * @throws IllegalArgumentException if there is no such word or codec
     */
    public static Legacy named(String word) {
        return switch (word) {
            case "raw" -> RAW;
            case "frames" -> NONE;
            default -> encodedBy(word);
        };
    }

    /** Whether they are made by {@code COMPRESS()}. */
    boolean isSql() {
        return codec.filter(one -> Codecs.family(one).name().equals("mysql")).isPresent();
    }

    /** The codec, if its library has to be there. */
    Optional<Codec> codec() {
        return codec;
    }

    /** The same array if it is the value itself. */
    byte[] read(byte[] stored, int maxLength) {
        if (this == NONE) {
            throw new FrameException(
                    Reason.NOT_A_FRAME,
                    "the value has no frame, and all values of this column have one: it was changed, or stored without"
                            + " the value format");
        }
        if (codec.isEmpty() || stored.length == 0) {
            return stored;
        }
        try {
            return codec.get().decode(stored, maxLength);
        } catch (CodecException e) {
            throw new FrameException(
                    e.isTooLong() ? Reason.TOO_LONG : Reason.DAMAGED,
                    "the value has no frame, and " + codec.get().id() + " cannot decode it: " + e.getMessage(),
                    e);
        }
    }

    /** What is stored for a value without a frame, so that {@link #read} gives it back. The same array if it is raw. */
    byte[] write(byte[] value) {
        if (codec.isEmpty()) {
            return value;
        }
        try (Scratch scratch = Scratch.of(codec.get().maxEncodedLength(value.length))) {
            return Arrays.copyOf(scratch.bytes(), codec.get().encode(value, 0, value.length, scratch.bytes(), 0));
        }
    }
}
