package dev.blobmark.bench.reencode.witness;

import dev.blobmark.value.FrameException;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What a row means, however it is stored.
 *
 * @param payload the decoded value; empty for NULL
 * @param note another column
 */
record Content(Optional<String> payload, String note) {

    private static final int SHOWN = 24;

    private static final ValueFormat FORMAT =
            ValueFormat.builder().reads(Legacy.RAW).build();

    /** @param stored null for NULL */
    static Content of(byte[] stored, String note) {
        return new Content(Optional.ofNullable(stored).map(Content::decoded), note);
    }

    @Override
    public String toString() {
        return note
                + payload.map(text -> " " + text.substring(0, Math.min(SHOWN, text.length())))
                        .orElse(" NULL");
    }

    private static String decoded(byte[] stored) {
        try {
            return new String(FORMAT.decode(stored), StandardCharsets.UTF_8);
        } catch (FrameException e) {
            return "undecodable: " + e.getMessage();
        }
    }
}
