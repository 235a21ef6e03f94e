package dev.blobmark.value;

/**
 * Which values are encoded; the others stay raw, without a header.
 *
 * @param minLength shorter values stay raw, in bytes; at least 0
 * @param minSaving the least share of a value that encoding must save, 0 to less than 1
 * @param hasChecksum whether an encoded value gets 4 bytes more, a CRC-32C of the value that is checked when it is
 *     read. Without it, a changed byte in the middle of a value may be returned as another value
 */
public record EncodingPolicy(int minLength, double minSaving, boolean hasChecksum) {

    /** Values of 128 bytes and longer are encoded if that saves an eighth; with a checksum. */
    public static final EncodingPolicy STANDARD = new EncodingPolicy(128, 0.125, true);

    /** @throws IllegalArgumentException if a figure is out of range */
    public EncodingPolicy {
        if (minLength < 0) {
            throw new IllegalArgumentException("minLength is " + minLength + "; it is at least 0");
        }
        if (!(minSaving >= 0 && minSaving < 1)) {
            throw new IllegalArgumentException("minSaving is " + minSaving + "; it is a share, 0 to less than 1");
        }
    }
}
