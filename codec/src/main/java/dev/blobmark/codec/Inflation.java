package dev.blobmark.codec;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** An inflater. The JDK's native code reads and writes the caller's arrays in place. */
final class Inflation implements AutoCloseable {

    static final ContextPool<Inflation> RAW = new ContextPool<>(() -> new Inflation(true));
    static final ContextPool<Inflation> ZLIB = new ContextPool<>(() -> new Inflation(false));

    final CRC32 crc = new CRC32();

    private final Inflater inflater;
    private final byte[] spare = new byte[1];

    private Inflation(boolean raw) {
        inflater = new Inflater(raw);
    }

    @Override
    public void close() {
        inflater.end();
    }

    /** Two bits stand for at most 258 bytes (RFC 1951 3.2.5). */
    static long maxDecoded(int encodedLength) {
        return 1032L * encodedLength;
    }

    /** Returns how many bytes of the source follow the stream. The codec decides whether they may. */
    int run(OneShot codec, byte[] source, int sourceOffset, int sourceLength, DecodedBytes out) {
        try {
            inflater.setInput(source, sourceOffset, sourceLength);
            while (true) {
                out.written(inflater.inflate(out.bytes(), out.at(), out.room()));
                if (inflater.finished()) return inflater.getRemaining();
                if (inflater.needsDictionary()) throw codec.wrong("it needs a preset dictionary");
                // out of input or out of room? zlib may have taken all input and still hold bytes of the value
                if (out.room() > 0 || inflater.inflate(spare) == 0) throw codec.truncated();
                if (out.isFull()) throw codec.tooLong(out.max());
                out.put(spare[0]);
            }
        } catch (DataFormatException e) {
            throw codec.wrong(e);
        } finally {
            inflater.reset(); // also lets go of the caller's array
        }
    }
}
