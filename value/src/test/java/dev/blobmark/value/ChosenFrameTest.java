package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

/**
 * A value whose bytes were chosen so that its escaped frame is a whole value of {@code COMPRESS()}: the header is the
 * length and the first bytes of a zlib stream, which goes on in the value itself. Where such values are read, the frame
 * would be read as 21 MB of other bytes.
 */
class ChosenFrameTest {

    /** Its two low bytes are the header of zlib. */
    private static final int LENGTH = 0x1_789C;

    /** {@code BE C1 40 01} as a length of COMPRESS(). */
    private static final int INFLATED = 0x0140_C1BE;

    /** The length of a block that is not compressed: the second byte of the check, and BE. */
    private static final int FIRST_BLOCK = 0xBE3E;

    private static final int CONTENT_AT = 3;
    private static final int MODULO = 65_521;

    private static byte[] zeros(int length) {
        Deflater deflater = new Deflater(9, true);
        deflater.setInput(new byte[length]);
        deflater.finish();
        byte[] deflated = new byte[LENGTH];
        int end = deflater.deflate(deflated);
        deflater.end();
        return Arrays.copyOf(deflated, end);
    }

    /** The two beginnings of blocks, zeros, and room for the Adler-32 at the end. */
    private static byte[] stream() {
        int secondBlock = 27_000;
        byte[] end = zeros(INFLATED - FIRST_BLOCK - secondBlock);
        for (int i = 0; CONTENT_AT + FIRST_BLOCK + 5 + secondBlock + end.length + 4 != LENGTH; i++) {
            assertThat(i).as("attempts to find the length of the second block").isLessThan(50);
            secondBlock = LENGTH - CONTENT_AT - FIRST_BLOCK - 5 - end.length - 4;
            end = zeros(INFLATED - FIRST_BLOCK - secondBlock);
        }
        byte[] value = new byte[LENGTH];
        value[0] = (byte) 0xBE;
        value[1] = (byte) 0xC1;
        value[2] = 0x41;
        int at = CONTENT_AT + FIRST_BLOCK + 1;
        value[at++] = (byte) secondBlock;
        value[at++] = (byte) (secondBlock >> 8);
        value[at++] = (byte) ~secondBlock;
        value[at++] = (byte) (~secondBlock >> 8);
        System.arraycopy(end, 0, value, at + secondBlock, end.length);
        return value;
    }

    /** Counts in the first bytes of the content until the check of the frame begins a block. */
    private static byte[] chosen() {
        byte[] value = stream();
        Adler32 adler = new Adler32();
        adler.update(new byte[INFLATED]);
        long ones = adler.getValue() & 0xFFFF;
        long sums = adler.getValue() >>> 16;
        for (int count = 0; count < 1 << 16; count++) {
            long a = ones;
            long b = sums;
            for (int i = 0; i < 2; i++) {
                int digit = count >> 8 * i & 0xFF;
                value[CONTENT_AT + i] = (byte) digit;
                a = (a + digit) % MODULO;
                b = (b + (long) (INFLATED - i) * digit) % MODULO;
            }
            ValueReader.INT.set(value, LENGTH - 4, (int) (b << 16 | a));
            byte[] frame = ValueFormat.builder().build().encode(value);
            if ((frame[6] & 7) == 0 && frame[7] == FIRST_BLOCK - 0xBE00) {
                return value;
            }
        }
        throw new AssertionError("no check begins a block");
    }

    @Test
    void aFrameThatWouldBeReadAsAnotherValueIsNotWritten() {
        byte[] value = chosen();
        assertThat(SqlValues.isWhole(ValueFormat.builder().build().encode(value)))
                .isTrue();
        for (ValueFormat.Builder builder : new ValueFormat.Builder[] {
            ValueFormat.builder().readsSql(),
            ValueFormat.builder().readsSql().writes("mysql:6"),
            ValueFormat.builder().readsSql().collisionsAreLegacy().maxLength(1 << 20)
        }) {
            ValueFormat format = builder.build();
            byte[] stored = format.encode(value);
            assertThat(Arrays.equals(format.decode(stored), value)).isTrue();
            assertThat(Arrays.equals(ValueFormat.builder().readsSql().build().decode(stored), value))
                    .isTrue();
        }
    }
}
