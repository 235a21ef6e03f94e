package dev.blobmark.value;

import dev.blobmark.codec.Bare;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.CodecException;
import dev.blobmark.value.FrameException.Reason;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;

/** Values with and without frames. */
final class FramedValues implements ValueFormat.Wire {

    /** A thread keeps a buffer up to this length. */
    private static final int MOST_KEPT = 1 << 20;

    private static final ThreadLocal<byte[]> SCRATCH = ThreadLocal.withInitial(() -> new byte[4 << 10]);

    /** A dictionary that was not found is not looked for again in this time. */
    private static final long MISSING_NANOS = 10_000_000_000L;

    private static final int MOST_MISSING = 1_000;

    private final Reading reading;
    private final Optional<PayloadCodec.Encoder> encoder;
    private final Policy policy;
    private final Optional<Compressibility> compressibility;
    private final Map<Integer, Codec> byDictionary = new ConcurrentHashMap<>();

    /** When each of them was looked for. */
    private final Map<Integer, Long> missing = new ConcurrentHashMap<>();

    /**
     * How values are read.
     *
     * @param written the dictionary that values are encoded with, which readers know without looking for it
     */
    record Reading(
            Legacy legacy,
            Dictionaries dictionaries,
            Optional<Dictionary> written,
            int maxLength,
            boolean areCollisionsLegacy) {}

    FramedValues(Reading reading, Optional<PayloadCodec.Encoder> encoder, Policy policy) {
        this.reading = reading;
        this.encoder = encoder;
        this.policy = policy;
        compressibility = encoder.map(Compressibility::new);
        reading.written().ifPresent(dictionary -> byDictionary.put(dictionary.number(), decoder(dictionary)));
    }

    @Override
    public byte[] read(byte[] stored) {
        if (!FrameHeader.begins(stored)) {
            return reading.legacy().read(stored, reading.maxLength());
        }
        if (!reading.areCollisionsLegacy()) {
            return readFrame(stored);
        }
        try {
            return readFrame(stored);
        } catch (FrameException e) {
            if (ValueFormat.isCollision(e)) {
                return reading.legacy().read(stored, reading.maxLength());
            }
            throw e;
        }
    }

    private byte[] readFrame(byte[] stored) {
        long header = FrameHeader.read(stored, 0, stored.length, reading.maxLength());
        if (FrameHeader.payload(header) == PayloadCodec.ESCAPED) {
            byte[] legacy = Arrays.copyOfRange(stored, FrameHeader.headerBytes(header), stored.length);
            return reading.legacy().read(legacy, reading.maxLength());
        }
        byte[] value = new byte[FrameHeader.length(header)];
        read(header, stored, 0, stored.length, value, 0);
        return value;
    }

    private void read(long header, byte[] stored, int offset, int end, byte[] target, int targetOffset) {
        int dictionary = FrameHeader.dictionary(header);
        Codec codec = dictionary < 0 ? FrameHeader.payload(header).decoder() : withDictionary(dictionary);
        int body = offset + FrameHeader.headerBytes(header);
        int bodyEnd = end - (FrameHeader.hasChecksum(header) ? FrameHeader.CHECKSUM_BYTES : 0);
        int stated = FrameHeader.length(header);
        int length;
        try {
            length = codec.decode(stored, body, bodyEnd - body, target, targetOffset, stated);
        } catch (CodecException e) {
            throw new FrameException(Reason.DAMAGED, "the value is damaged: " + e.getMessage(), e);
        }
        if (length != stated) {
            throw new FrameException(
                    Reason.DAMAGED, "the value is damaged: it says " + stated + " bytes and holds " + length);
        }
        if (bodyEnd < end && checksum(target, targetOffset, length) != stored(stored, bodyEnd)) {
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
        if (known != null) {
            return known;
        }
        Long missedAt = missing.get(number);
        boolean isMissing = missedAt != null && System.nanoTime() - missedAt < MISSING_NANOS;
        Optional<Dictionary> found =
                isMissing ? Optional.empty() : reading.dictionaries().find(number);
        if (found.isEmpty()) {
            if (!isMissing) {
                if (missing.size() >= MOST_MISSING) {
                    missing.clear();
                }
                missing.put(number, System.nanoTime());
            }
            throw new FrameException(
                    Reason.MISSING_DICTIONARY,
                    "the value was encoded with dictionary " + Dictionary.name(number) + ", which was not found");
        }
        if (found.get().number() != number) {
            throw new FrameException(
                    Reason.MISSING_DICTIONARY,
                    found.get() + " was found for dictionary " + Dictionary.name(number) + ": its bytes were changed");
        }
        missing.remove(number);
        return byDictionary.computeIfAbsent(number, of -> decoder(found.get()));
    }

    /** The level has no effect on decoding. */
    private static Codec decoder(Dictionary dictionary) {
        return Bare.zstd(1, Optional.of(dictionary.zstd()));
    }

    @Override
    public byte[] write(byte[] value) {
        if (value.length > reading.maxLength()) {
            throw new IllegalArgumentException("the value has " + value.length + " bytes, and at most "
                    + reading.maxLength() + " are read again; see maxLength");
        }
        if (isLongEnough(value.length)) {
            byte[] scratch = scratch(room(value.length));
            int end = encode(value, 0, value.length, scratch, 0);
            if (end > 0) {
                return Arrays.copyOf(scratch, end);
            }
        }
        byte[] legacy = reading.legacy().write(value);
        return FrameHeader.begins(legacy) ? escape(legacy) : legacy;
    }

    @Override
    public byte[] leave(byte[] value) {
        byte[] legacy = reading.legacy().write(value);
        return FrameHeader.begins(legacy) && !reading.areCollisionsLegacy() ? escape(legacy) : legacy;
    }

    private boolean isLongEnough(int length) {
        return length >= Math.max(1, policy.minLength());
    }

    /** Bytes that {@link #write(byte[], int, int, byte[], int)} needs for a value. */
    int room(int length) {
        return FrameHeader.MAX_BYTES
                + encoder.orElseThrow().codec().maxEncodedLength(length)
                + FrameHeader.CHECKSUM_BYTES;
    }

    /**
     * Writes a frame or a raw value from one array into another.
     *
     * @param target with {@link #room} for the value
     * @return number of bytes written
     */
    int write(byte[] source, int offset, int length, byte[] target, int targetOffset) {
        int end = isLongEnough(length) ? encode(source, offset, length, target, targetOffset) : 0;
        if (end > 0) {
            return end - targetOffset;
        }
        if (!FrameHeader.begins(source, offset, length)) {
            System.arraycopy(source, offset, target, targetOffset, length);
            return length;
        }
        int body = targetOffset + FrameHeader.bytes(PayloadCodec.ESCAPED, false, length);
        System.arraycopy(source, offset, target, body, length);
        FrameHeader.write(target, targetOffset, body + length, PayloadCodec.ESCAPED, length, -1, false);
        return body + length - targetOffset;
    }

    /** Writes a frame if that saves enough; returns its end, or 0 if the value stays raw. */
    private int encode(byte[] source, int offset, int length, byte[] target, int targetOffset) {
        if (!compressibility.orElseThrow().isWorthATry(source, offset, length, target, targetOffset)) {
            return 0;
        }
        PayloadCodec.Encoder with = encoder.orElseThrow();
        int dictionary = with.dictionary().map(Dictionary::number).orElse(-1);
        int body = targetOffset + FrameHeader.bytes(with.payload(), dictionary >= 0, length);
        int end = body + with.codec().encode(source, offset, length, target, body);
        if (policy.hasChecksum()) {
            store(target, end, checksum(source, offset, length));
            end += FrameHeader.CHECKSUM_BYTES;
        }
        int written = end - targetOffset;
        if (written >= length || written > length * (1 - policy.minSaving())) {
            return 0;
        }
        FrameHeader.write(target, targetOffset, end, with.payload(), length, dictionary, policy.hasChecksum());
        return end;
    }

    /** A legacy value that begins like a frame. */
    private static byte[] escape(byte[] value) {
        int body = FrameHeader.bytes(PayloadCodec.ESCAPED, false, value.length);
        byte[] escaped = new byte[body + value.length];
        System.arraycopy(value, 0, escaped, body, value.length);
        FrameHeader.write(escaped, 0, escaped.length, PayloadCodec.ESCAPED, value.length, -1, false);
        return escaped;
    }

    static byte[] scratch(int length) {
        byte[] kept = SCRATCH.get();
        if (kept.length >= length) {
            return kept;
        }
        if (length > MOST_KEPT) {
            return new byte[length];
        }
        byte[] longer = new byte[Math.max(length, Math.min(MOST_KEPT, 2 * kept.length))];
        SCRATCH.set(longer);
        return longer;
    }

    private static int checksum(byte[] value, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(value, offset, length);
        return (int) crc.getValue();
    }

    private static void store(byte[] target, int offset, int number) {
        for (int i = 0; i < Integer.BYTES; i++) {
            target[offset + i] = (byte) (number >>> 8 * (Integer.BYTES - 1 - i));
        }
    }

    private static int stored(byte[] source, int offset) {
        int number = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            number = number << 8 | source[offset + i] & 0xFF;
        }
        return number;
    }
}
