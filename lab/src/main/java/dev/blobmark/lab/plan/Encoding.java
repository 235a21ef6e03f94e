package dev.blobmark.lab.plan;

import dev.blobmark.codec.Codec;
import dev.blobmark.lab.store.StoredCodec;
import dev.blobmark.lab.study.Design;

/**
 * Values and the codec that encodes them.
 *
 * @param codec of {@link dev.blobmark.codec.Codecs}, which has one instance for each id
 */
public record Encoding(ValuesSource source, Codec codec) {

    private static final Codec RAW =
            StoredCodec.FACTOR.parse(StoredCodec.FACTOR.defaultLevel().orElseThrow());

    public static Encoding of(Design design) {
        return new Encoding(ValuesSource.of(design), design.get(StoredCodec.FACTOR));
    }

    static Encoding raw(ValuesSource source) {
        return new Encoding(source, RAW);
    }

    public boolean isRaw() {
        return codec.isIdentity();
    }

    /** {@code sites 64KB as zstd:3}. */
    @Override
    public String toString() {
        return source + " as " + codec.id();
    }
}
