package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Conversion;
import dev.blobmark.reencode.row.Target;
import dev.blobmark.value.Dictionaries;
import dev.blobmark.value.EncodingPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every value under every change, there and back, also those whose stored bytes look like something else. */
class ConversionTest {

    /** The length whose two lowest bytes are the first two of a frame. */
    private static final int LIKE_A_FRAME = 0xC1BE;

    private static byte[] encoded(String id, byte[] value) {
        Codec codec = Codecs.parse(id);
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        return Arrays.copyOf(target, codec.encode(value, 0, value.length, target, 0));
    }

    private static List<byte[]> values() {
        Random random = new Random(1);
        List<byte[]> values = new ArrayList<>();
        for (int length : new int[] {0, 1, 60, 200, 3_000, LIKE_A_FRAME, LIKE_A_FRAME + 0x1_0000}) {
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            values.add(noise);
            values.add(new byte[length]);
            byte[] text = "a line of text, "
                    .repeat(length / 16 + 1)
                    .substring(0, length)
                    .getBytes();
            values.add(text);
            values.add(encoded("gzip", text));
            values.add(encoded("mysql", text));
        }
        return values;
    }

    @Test
    void everyValueIsKeptThereAndBack() {
        for (String before : List.of("none", "gzip", "mysql", "lz4")) {
            for (String to : List.of("zstd:3", "lz4", "mysql:6", "none")) {
                for (boolean areCollisionsLegacy : new boolean[] {false, true}) {
                    Before stored = new Before(before, areCollisionsLegacy);
                    Target target = new Target(to, EncodingPolicy.STANDARD);
                    Conversion there = Conversion.to(target, stored, Dictionaries.NONE);
                    Conversion back = Conversion.back(target, stored, Dictionaries.NONE);
                    for (byte[] value : values()) {
                        byte[] old = before.equals("none") ? value : encoded(before, value);
                        boolean isUnreadable = !before.equals("mysql") && !areCollisionsLegacy && isLikeAFrame(old)
                                || before.equals("none") && to.equals("mysql:6") && isSql(value);
                        if (isUnreadable) {
                            continue; // an error, or taken for what it looks like
                        }
                        String what = before + " to " + to + ", " + value.length + " bytes";
                        Conversion.Result result = there.convert(old);
                        assertThat(result.value()).as(what).isEqualTo(value);
                        if (!to.equals("none")) {
                            assertThat(there.convert(result.stored()).stored())
                                    .as(what + ", again")
                                    .isEqualTo(result.stored());
                        }
                        if (!result.isOriginalKept()) {
                            assertThat(back.convert(result.stored()).stored())
                                    .as(what + ", and back")
                                    .isEqualTo(old);
                        }
                    }
                }
            }
        }
    }

    private static boolean isLikeAFrame(byte[] stored) {
        return stored.length > 1 && stored[0] == (byte) 0xBE && stored[1] == (byte) 0xC1;
    }

    /** Where values of {@code COMPRESS()} are written, raw ones that are such values are read as such. */
    private static boolean isSql(byte[] value) {
        return value.length > 6 && value[4] == 0x78;
    }
}
