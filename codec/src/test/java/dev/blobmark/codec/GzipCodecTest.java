package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

final class GzipCodecTest extends CodecContract {

    GzipCodecTest() {
        super("gzip", "gzip:1", "gzip:9");
    }

    @Override
    boolean checksummed() {
        return true;
    }

    @Override
    boolean readsSeveral() {
        return true;
    }

    /** As {@code cat} makes them of two files; an empty one may come last. */
    @Test
    void readsAllMembers() {
        byte[] all = join(join(MEMBER, join(header(31), BODY)), encode(GZIP, new byte[0]));
        byte[] twice = join(VALUE, VALUE);
        assertThat(decode(GZIP, all, 2 * VALUE.length)).isEqualTo(twice);
        assertThat(GZIP.decode(all, 2 * VALUE.length)).isEqualTo(twice);
        assertThat(GZIP.decode(all, Codec.MAX_LENGTH)).isEqualTo(twice);
        assertThatThrownBy(() -> decode(GZIP, all, 2 * VALUE.length - 1)).isInstanceOf(CodecException.class);
        assertThatThrownBy(() -> GZIP.decode(all, 2 * VALUE.length - 1)).isInstanceOf(CodecException.class);
        for (int length = MEMBER.length + 1; length < 2 * MEMBER.length; length++) {
            byte[] cut = Arrays.copyOf(join(MEMBER, MEMBER), length);
            assertThatThrownBy(() -> decode(GZIP, cut, 2 * VALUE.length))
                    .as("%d bytes", length)
                    .isInstanceOf(CodecException.class);
        }
        byte[] damaged = join(MEMBER, MEMBER);
        damaged[damaged.length - 5] ^= 1;
        assertThatThrownBy(() -> decode(GZIP, damaged, 2 * VALUE.length)).hasMessageContaining("CRC-32");
    }

    private static final Codec GZIP = Codecs.parse("gzip");
    private static final byte[] VALUE = "one value, one member".getBytes(StandardCharsets.UTF_8);
    private static final byte[] MEMBER = encode(GZIP, VALUE);
    private static final byte[] BODY = Arrays.copyOfRange(MEMBER, 10, MEMBER.length);

    @Test
    void writesTheHeaderOfRfc1952() {
        assertThat(Arrays.copyOf(MEMBER, 10)).isEqualTo(bytes(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255));
        assertThat(encode(Codecs.parse("gzip:1"), VALUE)[8]).isEqualTo((byte) 4);
        assertThat(encode(Codecs.parse("gzip:9"), VALUE)[8]).isEqualTo((byte) 2);
    }

    /** All 32 combinations of FTEXT, FHCRC, FEXTRA, FNAME and FCOMMENT. */
    @Test
    void readsTheOptionalFieldsOfOtherWriters() {
        for (int flags = 0; flags < 32; flags++) {
            byte[] header = header(flags);
            assertThat(decode(GZIP, join(header, BODY), VALUE.length)).isEqualTo(VALUE);
            for (int length = 0; length < header.length; length++) {
                byte[] cut = Arrays.copyOf(header, length);
                assertThatThrownBy(() -> decode(GZIP, cut, VALUE.length)).hasMessageContaining("truncated");
            }
        }
    }

    @Test
    void checksTheCrcOfTheHeader() {
        byte[] header = header(2 | 8);
        header[11] ^= 1; // in the name
        assertThatThrownBy(() -> decode(GZIP, join(header, BODY), VALUE.length))
                .isInstanceOf(CodecException.class)
                .hasMessage("gzip:6: the CRC of the header does not match");
    }

    @Test
    void rejectsReservedFlagsOtherMagicAndOtherMethods() {
        for (int flag : new int[] {0x20, 0x40, 0x80}) {
            assertThatThrownBy(() -> decode(GZIP, join(header(flag), BODY), VALUE.length))
                    .hasMessage("gzip:6: reserved flags are set");
        }
        for (int at = 0; at < 3; at++) {
            byte[] other = MEMBER.clone();
            other[at]++;
            assertThatThrownBy(() -> decode(GZIP, other, VALUE.length)).hasMessageContaining("the mark of gzip");
        }
    }

    @Test
    void checksTheTrailer() {
        byte[] crc = MEMBER.clone();
        crc[crc.length - 5]++;
        assertThatThrownBy(() -> decode(GZIP, crc, VALUE.length)).hasMessage("gzip:6: the CRC-32 does not match");
        byte[] length = MEMBER.clone();
        length[length.length - 4]++;
        assertThatThrownBy(() -> decode(GZIP, length, VALUE.length))
                .hasMessage("gzip:6: it says " + (VALUE.length + 1) + " bytes and holds " + VALUE.length);
    }

    /** A header with the fields that the flags ask for, in the order of RFC 1952 2.3. */
    private static byte[] header(int flags) {
        byte[] header = bytes(0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3);
        if ((flags & 4) != 0) header = join(header, bytes(3, 0, 'x', 0, 'y'));
        if ((flags & 8) != 0) header = join(header, bytes('n', 'a', 'm', 'e', 0));
        if ((flags & 16) != 0) header = join(header, bytes(0));
        if ((flags & 2) != 0) {
            CRC32 crc = new CRC32();
            crc.update(header);
            header = join(header, bytes((int) crc.getValue(), (int) crc.getValue() >>> 8));
        }
        return header;
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) values[i];
        return bytes;
    }

    private static byte[] join(byte[] a, byte[] b) {
        byte[] joined = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, joined, a.length, b.length);
        return joined;
    }
}
