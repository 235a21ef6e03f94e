package dev.blobmark.reencode.row;

import java.util.List;
import java.util.Optional;

/**
 * A row as it was read.
 *
 * @param key values of the key's columns, as {@code TableKey} reads them
 * @param length of what is stored, in bytes; 0 for NULL
 * @param stored empty if it is NULL, or longer than what is read
 */
public record Row(List<Object> key, long length, Optional<byte[]> stored) {

    public boolean isTooLong() {
        return stored.isEmpty() && length > 0;
    }
}
