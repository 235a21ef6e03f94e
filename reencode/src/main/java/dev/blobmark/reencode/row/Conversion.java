package dev.blobmark.reencode.row;

import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.FrameException;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.StoredForm;
import dev.blobmark.value.ValueFormat;
import java.util.Arrays;
import java.util.Optional;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/**
 * How stored bytes become others for the same value. It reads all that a column may hold on the way: frames, what
 * {@code COMPRESS()} makes where that is involved, and what was there before. So its own results may be converted
 * again, which gives the same bytes.
 *
 * <p>May be used by any number of threads.
 */
public final class Conversion {

    /** The longest value that readers of the value format accept by default. */
    public static final int MAX_LENGTH = ValueFormat.STANDARD_MAX_LENGTH;

    private static final XXHash64 HASH = XXHashFactory.fastestInstance().hash64();

    /** The application's readers before and after; both read frames. */
    private final ValueFormat before;

    /** Reads frames, and what only looks like one: values of COMPRESS() may. */
    private final ValueFormat framed;

    private final ValueFormat after;
    private final ValueFormat lenient;
    private final Optional<ValueFormat> sql;
    private final ValueFormat writer;

    /** Makes the bytes that were there before. */
    private final ValueFormat plain;

    /** Reads values that are stored as they are, and those of them that begin like a frame. */
    private final ValueFormat decoded;

    /** Whether values without a frame stay byte for byte, because they are already what they become. */
    private final boolean staysUnlessEncoded;

    /** Whether encoded values become the values themselves, which {@link #value} cannot read. */
    private final boolean isDecoding;

    private final boolean isBack;

    /** Whether what was there before are the values themselves. */
    private final boolean isPlainRaw;

    /** Whether the values themselves are written. */
    private final boolean isWriterRaw;

    private final boolean areCollisionsLegacy;

    /**
     * New bytes for a value.
     *
     * @param stored the same array as before if they stay
     * @param value the value itself
     * @param isOriginalKept whether the way back, which decodes, would not give the bytes before
     */
    public record Result(byte[] stored, byte[] value, boolean isOriginalKept) {}

    private Conversion(Before stored, Target target, Dictionaries dictionaries, boolean isBack) {
        this.isBack = isBack;
        boolean isFromSql = stored.isForSql();
        Legacy legacy = stored.legacy();
        areCollisionsLegacy = stored.areCollisionsLegacy();
        before = reader(legacy, dictionaries).build();
        // what COMPRESS() made is recognized by its form
        lenient = reader(isFromSql ? Legacy.RAW : legacy, dictionaries)
                .collisionsAreLegacy()
                .build();
        sql = isFromSql || target.isForSql()
                ? Optional.of(reader(isFromSql ? Legacy.RAW : legacy, dictionaries)
                        .readsSql()
                        .build())
                : Optional.empty();
        framed = isFromSql ? before : sql.orElse(before);
        plain = ValueFormat.builder().reads(legacy).maxLength(MAX_LENGTH).build();
        boolean isFramed = !target.isForSql() && !target.isRaw();
        writer = isBack ? plain : target.writer(isFramed ? legacy : Legacy.RAW);
        decoded = reader(Legacy.RAW, dictionaries).build();
        after = isBack || isFramed ? before : target.isRaw() ? decoded : sql.orElseThrow();
        staysUnlessEncoded = isBack || isFramed;
        isPlainRaw = legacy == Legacy.RAW;
        isWriterRaw = isBack ? isPlainRaw : target.isRaw();
        isDecoding = target.isRaw() && legacy != Legacy.RAW;
    }

    /**
     * To a target.
     *
     * @param dictionaries for frames that refer to one
     */
    public static Conversion to(Target target, Before before, Dictionaries dictionaries) {
        return new Conversion(before, target, dictionaries, false);
    }

    /** The way back, to how values were stored before. */
    public static Conversion back(Target target, Before before, Dictionaries dictionaries) {
        return new Conversion(before, target, dictionaries, true);
    }

    private static ValueFormat.Builder reader(Legacy legacy, Dictionaries dictionaries) {
        return ValueFormat.builder().reads(legacy).dictionaries(dictionaries).maxLength(MAX_LENGTH);
    }

    /**
     * The value that is stored.
     *
     * @throws FrameException if it is damaged, or was written by a newer version of the value format
     */
    public byte[] value(byte[] stored) {
        if (!StoredForm.beginsLikeFrame(stored)) {
            return sql.orElse(lenient).decode(stored);
        }
        try {
            return framed.decode(stored);
        } catch (FrameException e) {
            if (isDecoding) {
                return decodedValue(stored).orElseThrow(() -> e);
            }
            if (!areCollisionsLegacy || !e.reason().isOfOthers()) {
                throw e;
            }
            return lenient.decode(stored);
        }
    }

    /** A value that was decoded and begins like a frame, which the writer has put into one. */
    private Optional<byte[]> decodedValue(byte[] stored) {
        try {
            return Optional.of(decoded.decode(stored));
        } catch (FrameException e) {
            return areCollisionsLegacy && e.reason().isOfOthers()
                    ? Optional.of(lenient.decode(stored))
                    : Optional.empty();
        }
    }

    /**
     * The value of a row that the change has come to.
     *
     * @param isBack whether the change is being taken back, or was
     * @throws FrameException as {@link #value}
     */
    public byte[] valueAfter(byte[] stored, boolean isBack) {
        boolean isValue = isDecoding && !StoredForm.beginsLikeFrame(stored) && !(isBack && isLegacy(stored));
        return isValue ? stored : value(stored);
    }

    /** Whether bytes are what a writer of the former way stores. */
    private boolean isLegacy(byte[] stored) {
        try {
            plain.decode(stored);
            return true;
        } catch (FrameException e) {
            return false;
        }
    }

    /** What to do about a value that cannot be read. */
    public static String remedy(FrameException e) {
        return e.reason().isOfOthers()
                ? ". If nothing was written in the value format yet, --collisions-are-legacy takes it for a value"
                : ". Repair or delete the value";
    }

    /**
     * Converts what is stored for a value.
     *
     * @throws FrameException if it cannot be read
     * @throws IllegalStateException if it is too long to be encoded; or if the new bytes do not give the value back,
     *     which is a defect
     */
    public Result convert(byte[] stored) {
        if (isBack && isDecoding && !StoredForm.beginsLikeFrame(stored)) {
            // what reads as if it had never been decoded was written since; of values that do, the bytes were kept
            return new Result(isLegacy(stored) ? stored : checked(plain, plain(stored), stored), stored, false);
        }
        byte[] value = value(stored);
        boolean isEncoded = isEncoded(stored, value);
        if (isBack && !isEncoded) {
            return new Result(stored, value, false);
        }
        byte[] converted = isWriterRaw && value.length > MAX_LENGTH ? value : encoded(writer, value);
        boolean stays = Arrays.equals(converted, stored)
                || staysUnlessEncoded
                        && !isBack
                        && !StoredForm.beginsLikeFrame(stored)
                        && !StoredForm.beginsLikeFrame(converted);
        if (stays) {
            return new Result(stored, value, !isBack && isEncoded && !Arrays.equals(plain(value), stored));
        }
        checked(after, converted, value);
        // the way back takes such bytes for what was there before, and leaves them
        boolean isLikeBefore = isDecoding && isLegacy(value) || converted.length == 0;
        return new Result(converted, value, !isBack && (isLikeBefore || !Arrays.equals(plain(value), stored)));
    }

    /** As values were stored before. Those that are stored as they are may have any length. */
    private byte[] plain(byte[] value) {
        return isPlainRaw && value.length > MAX_LENGTH ? value : encoded(plain, value);
    }

    private static byte[] encoded(ValueFormat format, byte[] value) {
        if (value.length > MAX_LENGTH) {
            throw new IllegalStateException("the value has " + value.length
                    + " bytes, and readers of the value format accept at most " + MAX_LENGTH);
        }
        return format.encode(value);
    }

    private static byte[] checked(ValueFormat reader, byte[] converted, byte[] value) {
        byte[] again = reader.decode(converted);
        if (!Arrays.equals(again, value)) {
            throw new IllegalStateException("the new bytes of a value of " + value.length + " bytes decode to "
                    + again.length + " other bytes; this is a defect of Blobmark, and the value was not changed");
        }
        return converted;
    }

    /** Whether the way back decodes these bytes. */
    private boolean isEncoded(byte[] stored, byte[] value) {
        return StoredForm.beginsLikeFrame(stored) || sql.isPresent() && value != stored;
    }

    /** A hash of a value with its key, for checksums of ranges. */
    public static long hash(byte[] key, byte[] value) {
        return HASH.hash(value, 0, value.length, HASH.hash(key, 0, key.length, 0));
    }
}
