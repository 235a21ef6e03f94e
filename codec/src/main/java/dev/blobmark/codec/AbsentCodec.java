package dev.blobmark.codec;

import java.util.function.Supplier;

/**
 * A codec whose library is not on the class path, is too old, or does not work on this platform: it has a name, and
 * refuses to be used.
 */
final class AbsentCodec implements Codec {

    private final String id;
    private final CodecLibrary library;
    private final Throwable cause;

    private AbsentCodec(String id, CodecLibrary library, Throwable cause) {
        this.id = id;
        this.library = library;
        this.cause = cause;
    }

    /** The codec that is made, or one that refuses, if its library does not work here. */
    static Codec orElse(String id, CodecLibrary library, Supplier<Codec> maker) {
        return library.failure()
                .<Codec>map(cause -> new AbsentCodec(id, library, cause))
                .orElseGet(maker);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public int maxEncodedLength(int length) {
        throw absent();
    }

    @Override
    public long maxDecodedLength(int encodedLength) {
        throw absent();
    }

    @Override
    public int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset) {
        throw absent();
    }

    @Override
    public int decode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int max) {
        throw absent();
    }

    private UnsupportedOperationException absent() {
        return library.refusal("codec " + id, cause);
    }
}
