package dev.blobmark.reencode;

import dev.blobmark.value.Legacy;
import dev.blobmark.value.Policy;
import dev.blobmark.value.ValueFormat;

/**
 * What the values of a column are changed to.
 *
 * @param codec {@code zstd:3} and others for the value format, {@code mysql} for what {@code COMPRESS()} makes,
 *     {@code none} for the values themselves
 * @param policy which values are encoded in the value format
 */
public record Target(String codec, Policy policy) {

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

    private static ValueFormat writer(String codec, Policy policy, Legacy legacy) {
        ValueFormat.Builder builder = ValueFormat.builder().reads(legacy).maxLength(Conversion.MAX_LENGTH);
        if (codec.equals(NONE)) {
            return builder.build();
        }
        ValueFormat format = builder.writes(codec).policy(policy).build();
        format.startWriting();
        return format;
    }
}
