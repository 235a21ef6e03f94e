package dev.blobmark.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MysqlCodecTest extends CodecContract {

    MysqlCodecTest() {
        super("mysql", "mysql:1", "mysql:9");
    }

    @Override
    boolean checksummed() {
        return true;
    }

    private static final Codec MYSQL = Codecs.parse("mysql");
    private static final Codec ZLIB = Codecs.parse("zlib");

    /** Made with Python's zlib.compress and struct.pack, an implementation apart from this one. */
    @Test
    void readsKnownVectors() {
        assertThat(decode(MYSQL, hex("01000000789c4b040000620062"), 1))
                .asString(UTF_8)
                .isEqualTo("a");
        assertThat(decode(MYSQL, hex("08000000789c73cac94fca4d2cca06000db6032b"), 8))
                .asString(UTF_8)
                .isEqualTo("Blobmark");
        assertThat(decode(MYSQL, hex("e8030000789c4b4c1c05a360140c770000f9d87af8"), 1000))
                .asString(UTF_8)
                .isEqualTo("a".repeat(1000));
    }

    /** The Adler-32 of this value ends in 20, a space. */
    @Test
    void takesAValueThatEndsInASpaceWithAndWithoutItsDot() {
        String vector = "14000000789cf3ad0c0ef451482c2848cd4b2956485448c92f29030048e80720";
        for (String encoded : List.of(vector, vector + "2e")) {
            assertThat(decode(MYSQL, hex(encoded), 20)).asString(UTF_8).isEqualTo("MySQL appends a dotv");
        }
        assertThatThrownBy(() -> decode(MYSQL, hex(vector + "2e2e"), 20)).isInstanceOf(CodecException.class);
        assertThatThrownBy(() -> decode(MYSQL, hex(vector + "20"), 20)).isInstanceOf(CodecException.class);
        assertThatThrownBy(() -> decode(MYSQL, hex("01000000789c4b0400006200622e"), 1))
                .hasMessage("mysql:6: 1 bytes follow the end of the encoded value");
    }

    /** The Adler-32 of this value ends in 20 2e: a dot that belongs to the stream. */
    @Test
    void doesNotTakeTheLastByteOfAStreamForTheDot() {
        byte[] value = new byte[33];
        Arrays.fill(value, (byte) 255);
        value[32] = 77;
        byte[] vector = hex("21000000789cfbff1f3ff005002e5c202e");
        assertThat(decode(MYSQL, vector, 33)).isEqualTo(value);
        assertThat(encode(MYSQL, value)).endsWith(' ', '.').hasSameSizeAs(lengthAndZlib(value));
    }

    @Test
    void appendsADotExactlyWhereTheLastByteIsASpace() {
        int dots = 0;
        for (int i = 0; i < 10_000; i++) {
            byte[] value = ("value " + i).getBytes(UTF_8);
            byte[] plain = lengthAndZlib(value);
            byte[] encoded = encode(MYSQL, value);
            if (plain[plain.length - 1] == ' ') {
                dots++;
                assertThat(encoded).startsWith(plain).endsWith('.').hasSize(plain.length + 1);
                assertThat(encodeInto(MYSQL, value, encoded.length)).isEqualTo(encoded);
                assertThatThrownBy(() -> encodeInto(MYSQL, value, plain.length)).isInstanceOf(CodecException.class);
            } else {
                assertThat(encoded).isEqualTo(plain);
            }
            assertThat(decode(MYSQL, encoded, value.length)).isEqualTo(value);
            assertThat(decode(MYSQL, plain, value.length)).isEqualTo(value);
        }
        assertThat(dots).isPositive();
    }

    @Test
    void keepsAnEmptyValueEmpty() {
        assertThat(encodeInto(MYSQL, new byte[0], 0)).isEmpty();
        assertThat(decode(MYSQL, new byte[0], 0)).isEmpty();
        assertThat(decode(MYSQL, new byte[0], 10)).isEmpty();
    }

    /** The server stores 30 bits of the length. */
    @Test
    void takesNoValueOf1GiB() {
        assertThat(MYSQL.maxEncodedLength((1 << 30) - 1)).isPositive();
        assertThatThrownBy(() -> MYSQL.maxEncodedLength(1 << 30))
                .hasMessageContaining("it takes 0 to 1073741823 bytes");
    }

    private static byte[] lengthAndZlib(byte[] value) {
        byte[] zlib = encode(ZLIB, value);
        return ByteBuffer.allocate(4 + zlib.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value.length)
                .put(zlib)
                .array();
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
