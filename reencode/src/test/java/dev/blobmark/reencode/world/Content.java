package dev.blobmark.reencode.world;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A row besides its key.
 *
 * @param unique value of a UNIQUE column; null for NULL
 * @param payload the value that is changed; null for NULL. Nobody changes the array
 */
record Content(Integer unique, String note, byte[] payload) {

    static List<Object> key(int id) {
        return List.of(new BigDecimal(id));
    }

    static int id(List<Object> key) {
        return ((BigDecimal) key.get(0)).intValueExact();
    }

    Content withPayload(byte[] other) {
        return new Content(unique, note, other);
    }

    Content withNote(String other) {
        return new Content(unique, other, payload);
    }

    Content withUnique(Integer other) {
        return new Content(other, note, payload);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Content content
                && Objects.equals(unique, content.unique)
                && note.equals(content.note)
                && Arrays.equals(payload, content.payload);
    }

    @Override
    public int hashCode() {
        return Objects.hash(unique, note, Arrays.hashCode(payload));
    }
}
