package dev.blobmark.reencode.row;

import dev.blobmark.value.Legacy;

/**
 * How values are stored before a change.
 *
 * @param codec of all values that have no frame: {@code gzip}, {@code zlib}, {@code mysql} and others; {@code none} if
 *     they are the values themselves
 * @param areCollisionsLegacy whether bytes that begin like a frame and are none are such values too. Otherwise they are
 *     an error: they may be a frame that was truncated, or one of a newer version
 */
public record Before(String codec, boolean areCollisionsLegacy) {

    /** Values themselves, and perhaps frames. */
    public static final Before RAW = new Before(Target.NONE, false);

    /** @throws IllegalArgumentException if there is no such codec */
    public Before {
        legacy(codec);
    }

    Legacy legacy() {
        return legacy(codec);
    }

    private static Legacy legacy(String codec) {
        return codec.equals(Target.NONE) ? Legacy.RAW : Legacy.encodedBy(codec);
    }

    boolean isForSql() {
        return Target.isForSql(codec);
    }
}
