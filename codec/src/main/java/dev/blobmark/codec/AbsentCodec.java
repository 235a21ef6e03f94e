package dev.blobmark.codec;

import java.util.function.Supplier;

/**
 * A codec whose library is not on the class path, or does not work on this platform: it has a name, and refuses to be
 * used.
 */
final class AbsentCodec implements Codec {

    private final String id;
    private final Throwable cause;

    private AbsentCodec(String id, Throwable cause) {
        this.id = id;
        this.cause = cause;
    }

    /** The codec that is made, or one that refuses, where making it shows that its library does not work here. */
    static Codec orElse(String id, Supplier<Codec> maker) {
        try {
            return maker.get();
        } catch (LinkageError | AssertionError e) { // lz4-java throws the latter
            return new AbsentCodec(id, e);
        }
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
    public int encode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset) {
        throw absent();
    }

    @Override
    public int decode(byte[] source, int sourceOffset, int sourceLength, byte[] target, int targetOffset, int max) {
        throw absent();
    }

    private UnsupportedOperationException absent() {
        return Libraries.absent("codec " + id, cause);
    }
}
