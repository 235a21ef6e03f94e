package dev.blobmark.value;

/**
 * Which values are encoded; the others stay raw, without a header.
 *
 * @param minLength shorter values stay raw, in bytes; at least 0
 * @param minSaving the least share of a value that encoding must save, 0 to less than 1
 * @param hasChecksum whether an encoded value gets 4 bytes more, a CRC-32C of the value that is checked when it is read
 */
public record Policy(int minLength, double minSaving, boolean hasChecksum) {

    /** Values of 128 bytes and longer are encoded if that saves an eighth; without a checksum. */
    public static final Policy STANDARD = new Policy(128, 0.125, false);

    /** @throws IllegalArgumentException if a figure is out of range */
    public Policy {
        if (minLength < 0) {
            throw new IllegalArgumentException("minLength is " + minLength + "; it is at least 0");
        }
        if (!(minSaving >= 0 && minSaving < 1)) {
            throw new IllegalArgumentException("minSaving is " + minSaving + "; it is a share, 0 to less than 1");
        }
    }
}
