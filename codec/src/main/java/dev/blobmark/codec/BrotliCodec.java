package dev.blobmark.codec;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import com.aayushatharva.brotli4j.encoder.EncoderJNI;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A brotli stream (RFC 7932) with the library's default window of 4 MiB; no length and no checksum.
 *
 * <p>The library forces three things on every call, both ways: a native context of its own, since it has none that can
 * be used twice; a copy of the source into native memory; and a copy of the result out of it. Its one-shot methods add
 * a fourth, the gathering of a list of chunks into a new array, which is why they are not used here. While it decodes,
 * it holds the window that the stream asks for, at most 16 MiB of native memory, in addition to what the caller allows.
 */
final class BrotliCodec extends OneShot {

    private static final int DEFAULT_WINDOW = -1;
    private static final byte EMPTY_STREAM = 6; // WBITS = 16, ISLAST, ISLASTEMPTY (RFC 7932 section 9)

    private final int quality;

    BrotliCodec(String id, int quality) {
        super(id);
        Brotli4jLoader.ensureAvailability();
        this.quality = quality;
    }

    /**
     * The encoder stores a meta-block as it is when coding would make it longer; that costs at most 6 bytes, and only
     * the last meta-block is shorter than 16 KiB. The bound allows 8 bytes per 16 KiB and 64 for the stream.
     */
    @Override
    int bound(int length) {
        return length + (length >>> 11) + 64;
    }

    /** A meta-block of some bytes can copy the dictionary or the window for up to 16 MiB. */
    @Override
    long maxDecoded(int encodedLength) {
        return Long.MAX_VALUE;
    }

    @Override
    int write(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int room) {
        if (sourceLength == 0) { // the library takes no empty buffer
            if (room == 0) throw targetTooSmall();
            target[targetOffset] = EMPTY_STREAM;
            return 1;
        }
        EncoderJNI.Wrapper encoder = encoder(sourceLength);
        try {
            encoder.getInputBuffer().put(source, sourceOffset, sourceLength);
            encoder.push(EncoderJNI.Operation.FINISH, sourceLength);
            int written = 0;
            while (encoder.isSuccess()) {
                if (encoder.hasMoreOutput()) {
                    ByteBuffer chunk = encoder.pull();
                    int length = chunk.remaining();
                    if (length > room - written) throw targetTooSmall();
                    chunk.get(target, targetOffset + written, length);
                    written += length;
                } else if (encoder.isFinished()) {
                    return written;
                } else {
                    encoder.push(EncoderJNI.Operation.FINISH, 0);
                }
            }
            throw wrong("the encoder failed");
        } finally {
            encoder.destroy();
        }
    }

    @Override
    int read(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int maxLength) {
        DecodedBytes out = DecodedBytes.into(target, targetOffset, maxLength);
        read(source, sourceOffset, sourceLength, out);
        return out.length();
    }

    @Override
    byte[] readAll(byte[] source, int offset, int length, int maxLength) {
        DecodedBytes out = DecodedBytes.growing(4L * length, maxLength); // a usual ratio
        read(source, offset, length, out);
        return out.value();
    }

    private void read(byte[] source, int sourceOffset, int sourceLength, DecodedBytes out) {
        if (sourceLength == 0) throw truncated();
        DecoderJNI.Wrapper decoder = decoder(sourceLength);
        try {
            decoder.getInputBuffer().put(source, sourceOffset, sourceLength);
            decoder.push(sourceLength);
            while (true) {
                switch (decoder.getStatus()) {
                    case DONE -> {
                        return;
                    }
                    case NEEDS_MORE_OUTPUT -> {
                        if (out.isFull()) throw tooLong(out.max());
                        out.put(decoder.pull(out.max() - out.length()));
                    }
                    case OK -> decoder.push(0);
                    case NEEDS_MORE_INPUT -> {
                        // after a pull this may also mean that input taken before waits to be decoded
                        decoder.push(0);
                        if (decoder.getStatus() == DecoderJNI.Status.NEEDS_MORE_INPUT) throw truncated();
                    }
                    default -> throw wrong("it is no brotli stream, or bytes follow its end");
                }
            }
        } finally {
            decoder.destroy();
        }
    }

    private EncoderJNI.Wrapper encoder(int sourceLength) {
        try {
            return new EncoderJNI.Wrapper(sourceLength, quality, DEFAULT_WINDOW, null);
        } catch (IOException e) {
            throw wrong(e);
        }
    }

    private DecoderJNI.Wrapper decoder(int sourceLength) {
        try {
            return new DecoderJNI.Wrapper(sourceLength);
        } catch (IOException e) {
            throw wrong(e);
        }
    }
}
