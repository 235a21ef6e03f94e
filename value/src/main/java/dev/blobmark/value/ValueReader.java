package dev.blobmark.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.value.FrameException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;

/** Reads what a column holds: frames, legacy values, and values of {@code COMPRESS()} if it may have some. */
final class ValueReader {

    /** A dictionary that was not found is not looked for again in this time. */
    private static final long MISSING_NANOS = 1_000_000_000L;

    private static final int MOST_MISSING = 1_000;

    /** Up to this length, a value that a stream of unknown ratio claims is allocated at once, in bytes. */
    private static final int TRUSTED_LENGTH = 64 << 10;

    /** And up to this many times the length of the stream. */
    private static final int TRUSTED_RATIO = 1_000;

    /** A checksum. */
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final Form form;
    private final Dictionaries dictionaries;
    private final Optional<SqlValues> sql;
    private final Map<Integer, Codec> byDictionary = new ConcurrentHashMap<>();

    /** When each of them was looked for. */
    private final Map<Integer, Long> missing = new ConcurrentHashMap<>();

    /** What a column holds. */
    record Form(Legacy legacy, boolean readsSql, int maxLength, boolean areCollisionsLegacy) {

        boolean hasLegacy() {
            return legacy != Legacy.NONE;
        }
    }

    /** @param written the dictionary that values are encoded with, which is known without looking for it */
    ValueReader(Form form, Dictionaries dictionaries, Optional<ValueDictionary> written) {
        this.form = form;
        this.dictionaries = dictionaries;
        sql = form.readsSql() || form.legacy().isSql()
                ? Optional.of(new SqlValues(form.maxLength()))
                : Optional.empty();
        written.ifPresent(dictionary -> byDictionary.put(dictionary.number(), decoder(dictionary)));
    }

    Form form() {
        return form;
    }

    /** @throws FrameException if it cannot be read */
    byte[] read(byte[] stored) {
        boolean isFramed = FrameHeader.begins(stored);
        if (isFramed && sql.isEmpty()) {
            return readFramed(stored);
        }
        if (isFramed) { // the length of a value of COMPRESS() may be BE C1
            Optional<byte[]> value = sql.get().readIfWhole(stored);
            return value.isPresent() ? value.get() : readFramed(stored);
        }
        return form.readsSql() && sql.get().begins(stored) ? readSql(stored) : readLegacy(stored);
    }

    /** Whether bytes without a frame may be taken for a value of {@code COMPRESS()} by a reader of any limit. */
    boolean mayLookLikeSql(byte[] stored) {
        return sql.isPresent() && SqlValues.mayBegin(stored);
    }

    /** Whether bytes that begin like a frame are taken for a value of {@code COMPRESS()}. */
    boolean isSql(byte[] framed) {
        return sql.isPresent() && SqlValues.isWhole(framed);
    }

    private byte[] readFramed(byte[] stored) {
        if (!form.areCollisionsLegacy()) {
            return readFrame(stored);
        }
        try {
            return readFrame(stored);
        } catch (FrameException e) {
            if (e.reason().isOfOthers()) {
                return readLegacy(stored);
            }
            throw e;
        }
    }

    private byte[] readSql(byte[] stored) {
        try {
            return sql.get().read(stored);
        } catch (FrameException e) {
            if (form.areCollisionsLegacy() && e.reason() == Reason.DAMAGED) {
                return readLegacy(stored);
            }
            throw e;
        }
    }

    private byte[] readLegacy(byte[] stored) {
        return form.legacy().read(stored, form.maxLength());
    }

    private byte[] readFrame(byte[] stored) {
        long header = FrameHeader.read(stored, 0, stored.length, form.maxLength());
        if (!form.hasLegacy() && !FrameHeader.hasChecksum(header)) {
            throw new FrameException(
                    Reason.NOT_A_FRAME,
                    "the value has no checksum, and all values of this column have one: it was changed, or written by"
                            + " another format");
        }
        int body = FrameHeader.headerBytes(header);
        if (FrameHeader.payload(header) == PayloadCodec.ESCAPED) {
            return readLegacy(Arrays.copyOfRange(stored, body, stored.length));
        }
        int bodyBytes = stored.length - body - (FrameHeader.hasChecksum(header) ? FrameHeader.CHECKSUM_BYTES : 0);
        int length = FrameHeader.length(header);
        if (FrameHeader.payload(header) == PayloadCodec.BROTLI
                && length > Math.max(TRUSTED_LENGTH, (long) TRUSTED_RATIO * bodyBytes)) {
            return readGrowing(header, stored, body, bodyBytes);
        }
        if (length > FrameHeader.payload(header).decoder().maxDecodedLength(bodyBytes)) {
            throw new FrameException(
                    Reason.DAMAGED,
                    "the value is damaged: it says " + length + " bytes, more than " + bodyBytes + " can hold");
        }
        byte[] value = new byte[length];
        read(header, stored, 0, stored.length, value, 0);
        return value;
    }

    /** Brotli has no best ratio. So what is allocated grows with what is decoded. */
    private static byte[] readGrowing(long header, byte[] stored, int body, int bodyBytes) {
        byte[] encoded = Arrays.copyOfRange(stored, body, body + bodyBytes);
        try {
            byte[] value = PayloadCodec.BROTLI.decoder().decode(encoded, FrameHeader.length(header));
            requireWhole(header, value.length, value, 0, stored, body + bodyBytes);
            return value;
        } catch (CodecException e) {
            throw damaged(e);
        }
    }

    private void read(long header, byte[] stored, int offset, int end, byte[] target, int targetOffset) {
        int dictionary = FrameHeader.dictionary(header);
        Codec codec = dictionary < 0 ? FrameHeader.payload(header).decoder() : withDictionary(dictionary);
        int body = offset + FrameHeader.headerBytes(header);
        int bodyEnd = end - (FrameHeader.hasChecksum(header) ? FrameHeader.CHECKSUM_BYTES : 0);
        int length;
        try {
            length = codec.decode(stored, body, bodyEnd - body, target, targetOffset, FrameHeader.length(header));
        } catch (CodecException e) {
            throw damaged(e);
        }
        requireWhole(header, length, target, targetOffset, stored, bodyEnd);
        if (dictionary >= 0) {
            dictionaries.onUse(dictionary);
        }
    }

    private static FrameException damaged(CodecException e) {
        return new FrameException(Reason.DAMAGED, "the value is damaged: " + e.getMessage(), e);
    }

    private static void requireWhole(long header, int length, byte[] value, int offset, byte[] stored, int checksumAt) {
        int stated = FrameHeader.length(header);
        if (length != stated) {
            throw new FrameException(
                    Reason.DAMAGED, "the value is damaged: it says " + stated + " bytes and holds " + length);
        }
        if (FrameHeader.hasChecksum(header) && checksum(value, offset, length) != (int) INT.get(stored, checksumAt)) {
            throw new FrameException(Reason.DAMAGED, "the value is damaged: its checksum does not match");
        }
    }

    /**
     * Reads a frame or a raw value from one array into another.
     *
     * @return length of the value
     * @throws FrameException if it cannot be read
     */
    int read(byte[] stored, int offset, int length, byte[] target, int targetOffset, int maxLength) {
        if (FrameHeader.begins(stored, offset, length)) {
            long header = FrameHeader.read(stored, offset, offset + length, maxLength);
            read(header, stored, offset, offset + length, target, targetOffset);
            return FrameHeader.length(header);
        }
        if (length > maxLength) {
            throw new FrameException(
                    Reason.TOO_LONG, "the value has " + length + " bytes, and at most " + maxLength + " are read");
        }
        System.arraycopy(stored, offset, target, targetOffset, length);
        return length;
    }

    private Codec withDictionary(int number) {
        Codec known = byDictionary.get(number);
        return known == null ? find(number) : known;
    }

    private Codec find(int number) {
        Long missedAt = missing.get(number);
        boolean isMissing = missedAt != null && System.nanoTime() - missedAt < MISSING_NANOS;
        Optional<ValueDictionary> found = isMissing ? Optional.empty() : dictionaries.find(number);
        if (found.isEmpty()) {
            if (!isMissing) {
                if (missing.size() >= MOST_MISSING) {
                    missing.clear();
                }
                missing.put(number, System.nanoTime());
            }
            throw new FrameException(
                    Reason.MISSING_DICTIONARY,
                    "the value was encoded with dictionary " + ValueDictionary.name(number) + ", which was not found");
        }
        if (found.get().number() != number) {
            throw new FrameException(
                    Reason.MISSING_DICTIONARY,
                    found.get() + " was found for dictionary " + ValueDictionary.name(number)
                            + ": its bytes were changed");
        }
        missing.remove(number);
        return byDictionary.computeIfAbsent(number, of -> decoder(found.get()));
    }

    /** The level has no effect on decoding. */
    private static Codec decoder(ValueDictionary dictionary) {
        return Bare.zstd(1, Optional.of(dictionary.zstd()));
    }

    static int checksum(byte[] value, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(value, offset, length);
        return (int) crc.getValue();
    }
}
