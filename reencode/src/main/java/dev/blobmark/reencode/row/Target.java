package dev.blobmark.reencode.row;

import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ValueFormat;

/**
 * What the values of a column are changed to.
 *
 * @param codec {@code zstd:3} and others for the value format, {@code mysql} for what {@code COMPRESS()} makes,
 *     {@code none} for the values themselves
 * @param policy which values are encoded in the value format
 */
public record Target(String codec, EncodingPolicy policy) {

    public static final String NONE = "none";

    /**
     * @throws IllegalArgumentException if there is no such codec
     * @throws UnsupportedOperationException if its library is not there
     */
    public Target {
        writer(codec, policy, Legacy.RAW);
    }

    public boolean isRaw() {
        return codec.equals(NONE);
    }

    /** Whether SQL reads the values by {@code UNCOMPRESS()}. */
    public boolean isForSql() {
        return isForSql(codec);
    }

    static boolean isForSql(String codec) {
        return codec.equals("mysql") || codec.startsWith("mysql:");
    }

    /**
     * Encodes values for this target.
     *
     * @param legacy how values without a frame are stored
     */
    ValueFormat writer(Legacy legacy) {
        return writer(codec, policy, legacy);
    }

    /** @throws IllegalStateException if a reader that announced itself cannot read what this writes */
    public void requireReaders(ReaderRegistry readers) {
        builder(codec, policy, Legacy.RAW).readers(readers).build().startWriting();
    }

    private static ValueFormat writer(String codec, EncodingPolicy policy, Legacy legacy) {
        ValueFormat format = builder(codec, policy, legacy).build();
        if (format.codec().isPresent()) {
            format.startWriting();
        }
        return format;
    }

    private static ValueFormat.Builder builder(String codec, EncodingPolicy policy, Legacy legacy) {
        ValueFormat.Builder builder = ValueFormat.builder().reads(legacy).maxLength(Conversion.MAX_LENGTH);
        if (isForSql(codec)) {
            builder.readsSql();
        }
        return codec.equals(NONE) ? builder : builder.writes(codec).policy(policy);
    }
}
