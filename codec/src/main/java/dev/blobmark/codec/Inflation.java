package dev.blobmark.codec;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * A thread's own inflater, which lives as long as its thread (see {@link Deflation}). It reads and writes the caller's
 * arrays in place.
 */
final class Inflation {

    static final ThreadLocal<Inflation> RAW = ThreadLocal.withInitial(() -> new Inflation(true));
    static final ThreadLocal<Inflation> ZLIB = ThreadLocal.withInitial(() -> new Inflation(false));

    final CRC32 crc = new CRC32();

    /** After a run: how many bytes of the source follow the stream. The codec says whether they may. */
    int left;

    private final Inflater inflater;
    private final byte[] spare = new byte[1];

    private Inflation(boolean raw) {
        inflater = new Inflater(raw);
    }

    int run(
            OneShot codec,
            byte[] source,
            int sourceOffset,
            int sourceLength,
            byte[] target,
            int targetOffset,
            int maxLength) {
        try {
            inflater.setInput(source, sourceOffset, sourceLength);
            int written = inflater.inflate(target, targetOffset, maxLength);
            left = inflater.getRemaining();
            if (inflater.finished()) return written;
            if (inflater.needsDictionary()) throw codec.wrong("it needs a preset dictionary");
            // out of input or out of room? zlib may have taken all input and still hold bytes of the value
            boolean full = written == maxLength && inflater.inflate(spare) > 0;
            throw full ? codec.tooLong(maxLength) : codec.truncated();
        } catch (DataFormatException e) {
            throw codec.wrong(e);
        } finally {
            inflater.reset(); // also lets go of the caller's array
        }
    }
}
