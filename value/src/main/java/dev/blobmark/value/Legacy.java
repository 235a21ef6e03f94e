package dev.blobmark.value;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.codec.Codecs;
import dev.blobmark.value.FrameException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/** How values are read that were stored before the value format: all of a column in one way. */
public final class Legacy {

    /** They are the values themselves. */
    public static final Legacy RAW = new Legacy(Optional.empty());

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int LENGTH_MASK = (1 << 30) - 1;
    private static final int LENGTH_BYTES = 4;

    private final Optional<Codec> codec;

    private Legacy(Optional<Codec> codec) {
        this.codec = codec;
    }

    /**
     * All of them were encoded by one codec.
     *
     * @param codec {@code gzip}, {@code zlib}, {@code zstd}, {@code mysql} for {@code COMPRESS()}, {@code lz4} for a
     *     block after its length, or another one of {@link Codecs}
     * @throws IllegalArgumentException if there is no such codec
     */
    public static Legacy encodedBy(String codec) {
        Codec parsed = Codecs.parse(codec);
        return parsed.isIdentity() ? RAW : new Legacy(Optional.of(parsed));
    }

    /** The same array if it is the value itself. */
    byte[] read(byte[] stored, int maxLength) {
        return codec.isEmpty() ? stored : decode(codec.get(), stored, maxLength);
    }

    /** What is stored for a value without a frame, so that {@link #read} gives it back. The same array if it is raw. */
    byte[] write(byte[] value) {
        if (codec.isEmpty()) {
            return value;
        }
        byte[] scratch = FramedValues.scratch(codec.get().maxEncodedLength(value.length));
        return Arrays.copyOf(scratch, codec.get().encode(value, 0, value.length, scratch, 0));
    }

    /** Decodes a value whose length may not be stated anywhere. */
    private static byte[] decode(Codec codec, byte[] stored, int maxLength) {
        long stated = statedLength(codec, stored);
        if (stated > maxLength) {
            throw new FrameException(
                    Reason.TOO_LONG, "the value has " + stated + " bytes, and at most " + maxLength + " are read");
        }
        long room = stated >= 0 ? stated : 4L * stored.length + 64;
        while (true) {
            byte[] target = new byte[(int) Math.min(maxLength, room)];
            try {
                int length = codec.decode(stored, 0, stored.length, target, 0, target.length);
                return length == target.length ? target : Arrays.copyOf(target, length);
            } catch (CodecException e) {
                if (stated >= 0 || target.length == maxLength) {
                    throw new FrameException(
                            Reason.DAMAGED,
                            "the value has no frame, and " + codec.id() + " cannot decode it: " + e.getMessage(),
                            e);
                }
                room *= 4; // perhaps it was only too long
            }
        }
    }

    /** −1 if it is not stated. */
    private static long statedLength(Codec codec, byte[] stored) {
        return switch (Codecs.family(codec).name()) {
            case "mysql", "lz4", "lz4hc" -> stored.length < LENGTH_BYTES ? 0 : (int) INT.get(stored, 0) & LENGTH_MASK;
            default ->
                codec.id().endsWith("+len") && stored.length >= LENGTH_BYTES
                        ? (int) INT.get(stored, 0) & LENGTH_MASK
                        : -1;
        };
    }
}
