package dev.blobmark.value;

import java.util.HexFormat;
import java.util.Optional;

/**
 * What a column holds in one place, and how it is read.
 *
 * @param legacy {@code raw}, {@code none} or the name of a codec
 * @param maxLength of a value, in bytes
 */
record Stored(byte[] bytes, String legacy, boolean readsSql, int maxLength, boolean areCollisionsLegacy) {

    static final HexFormat HEX = HexFormat.of();

    static Stored framed(byte[] bytes) {
        return legacy("raw", bytes);
    }

    static Stored legacy(String legacy, byte[] bytes) {
        return new Stored(bytes, legacy, false, ValueFormat.STANDARD_MAX_LENGTH, false);
    }

    static Stored sql(byte[] bytes) {
        return new Stored(bytes, "raw", true, ValueFormat.STANDARD_MAX_LENGTH, false);
    }

    Stored withMaxLength(int most) {
        return new Stored(bytes, legacy, readsSql, most, areCollisionsLegacy);
    }

    Stored withCollisions() {
        return new Stored(bytes, legacy, readsSql, maxLength, true);
    }

    Stored withSql() {
        return new Stored(bytes, legacy, true, maxLength, areCollisionsLegacy);
    }

    Stored withBytes(byte[] others) {
        return new Stored(others, legacy, readsSql, maxLength, areCollisionsLegacy);
    }

    /** What a reader makes of it: a value, or the reason why there is none. */
    record Outcome(Optional<byte[]> value, Optional<FrameException.Reason> reason) {

        @Override
        public String toString() {
            return reason.map(Enum::name).orElseGet(() -> HEX.formatHex(value.orElseThrow()));
        }
    }

    ValueFormat format(Dictionaries dictionaries) {
        ValueFormat.Builder builder = ValueFormat.builder()
                .dictionaries(dictionaries)
                .maxLength(maxLength)
                .reads(
                        switch (legacy) {
                            case "raw" -> Legacy.RAW;
                            case "none" -> Legacy.NONE;
                            default -> Legacy.encodedBy(legacy);
                        });
        if (readsSql) {
            builder.readsSql();
        }
        if (areCollisionsLegacy) {
            builder.collisionsAreLegacy();
        }
        return builder.build();
    }

    /** @throws RuntimeException other than {@link FrameException}, which is a fault */
    Outcome decode(ValueFormat format) {
        try {
            return new Outcome(Optional.of(format.decode(bytes)), Optional.empty());
        } catch (FrameException e) {
            return new Outcome(Optional.empty(), Optional.of(e.reason()));
        }
    }

    /** The options as a line of JSON has them, without braces. */
    String options() {
        return (legacy.equals("raw") ? "" : ", \"legacy\": \"" + legacy + "\"")
                + (readsSql ? ", \"readsSql\": true" : "")
                + (maxLength == ValueFormat.STANDARD_MAX_LENGTH ? "" : ", \"maxLength\": " + maxLength)
                + (areCollisionsLegacy ? ", \"collisionsAreLegacy\": true" : "");
    }

    @Override
    public String toString() {
        return "{\"stored\": \"" + HEX.formatHex(bytes) + "\"" + options() + "}";
    }
}
