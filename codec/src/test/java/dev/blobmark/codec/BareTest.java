package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BareTest {

    private static final byte[] ZSTD_MAGIC = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};

    static List<Codec> codecs() {
        return List.of(
                Bare.zstd(3, Optional.empty()),
                Bare.zstd(-5, Optional.empty()),
                Bare.zstd(19, Optional.empty()),
                Bare.lz4(),
                Bare.lz4hc(9));
    }

    private static byte[] encode(Codec codec, byte[] value) {
        byte[] target = new byte[codec.maxEncodedLength(value.length)];
        return Arrays.copyOf(target, codec.encode(value, 0, value.length, target, 0));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void givesBackValues(Codec codec) {
        for (byte[] value : Samples.various()) {
            byte[] encoded = encode(codec, value);
            byte[] decoded = new byte[value.length];
            assertThat(codec.decode(encoded, 0, encoded.length, decoded, 0, value.length))
                    .isEqualTo(value.length);
            assertThat(decoded).isEqualTo(value);
            assertThat(codec.decode(encoded, Codec.MAX_LENGTH)).isEqualTo(value);
            assertThat(codec.maxDecodedLength(encoded.length)).isGreaterThanOrEqualTo(value.length);
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void neverWritesOutsideOfItsTarget(Codec codec) {
        byte[] value = Samples.structured(5_000, 7);
        byte[] encoded = encode(codec, value);
        assertThatThrownBy(() -> codec.encode(value, 0, value.length, new byte[encoded.length / 2], 0))
                .isInstanceOf(CodecException.class);
        assertThatThrownBy(() -> codec.decode(encoded, 0, encoded.length, new byte[4_999], 0, 4_999))
                .isInstanceOf(CodecException.class);
        assertThatThrownBy(() -> codec.decode(encoded, 0, encoded.length - 1, new byte[5_000], 0, 5_000))
                .isInstanceOf(CodecException.class);
    }

    /** With the magic number before it, a bare frame is one that the usual decoder reads; its length is stated. */
    @Test
    void aBareZstdFrameIsAFrameWithoutItsMagicNumber() {
        Codec usual = Codecs.parse("zstd:3");
        for (byte[] value : Samples.various()) {
            byte[] bare = encode(Bare.zstd(3, Optional.empty()), value);
            assertThat(Bare.zstdContentSize(bare, 0, bare.length)).isEqualTo(value.length);
            byte[] frame = new byte[ZSTD_MAGIC.length + bare.length];
            System.arraycopy(ZSTD_MAGIC, 0, frame, 0, ZSTD_MAGIC.length);
            System.arraycopy(bare, 0, frame, ZSTD_MAGIC.length, bare.length);
            byte[] decoded = new byte[value.length];
            assertThat(usual.decode(frame, 0, frame.length, decoded, 0, value.length))
                    .isEqualTo(value.length);
            assertThat(decoded).isEqualTo(value);
        }
    }

    /** The library would decode both, and the second one may be empty. */
    @Test
    void aSecondFrameIsAnError() {
        byte[] value = new byte[300];
        byte[] one = encode(Bare.zstd(3, Optional.empty()), value);
        byte[] empty = {0x20, 0, 1, 0, 0};
        for (byte[] second : new byte[][] {one, empty, {0}}) {
            byte[] both = Arrays.copyOf(one, one.length + second.length);
            System.arraycopy(second, 0, both, one.length, second.length);
            assertThatThrownBy(() -> Bare.zstd(3, Optional.empty()).decode(both, 0, both.length, new byte[300], 0, 300))
                    .isInstanceOf(CodecException.class)
                    .hasMessageContaining(second.length + " bytes follow the end");
        }
    }

    /** The library decodes blocks of one repeated byte up to 2 MiB; the format has at most 128 KiB in a block. */
    @Test
    void aBlockOfMoreThan128KiBIsAnError() {
        byte[] bare = {(byte) 0xA0, 1, 0, 2, 0, 0b1011, 0, 16, 'a'}; // 131,073 bytes
        byte[] most = {(byte) 0xA0, 0, 0, 2, 0, 0b0011, 0, 16, 'a'};
        Codec codec = Bare.zstd(3, Optional.empty());
        byte[] target = new byte[131_073];
        assertThat(codec.decode(most, 0, most.length, target, 0, target.length)).isEqualTo(131_072);
        assertThatThrownBy(() -> codec.decode(bare, 0, bare.length, target, 0, target.length))
                .hasMessageContaining("a block of 131073 bytes");
        byte[] usual = Arrays.copyOf(ZSTD_MAGIC, ZSTD_MAGIC.length + bare.length);
        System.arraycopy(bare, 0, usual, ZSTD_MAGIC.length, bare.length);
        assertThatThrownBy(() -> Codecs.parse("zstd").decode(usual, 200_000))
                .hasMessageContaining("a block of 131073 bytes");
    }

    @Test
    void aHeaderThatStatesNoLengthHasNone() {
        assertThat(Bare.zstdContentSize(new byte[] {0, 0, 0}, 0, 3)).isEqualTo(-1);
        assertThat(Bare.zstdContentSize(new byte[] {(byte) 0xE0, 0, 0}, 0, 3)).isEqualTo(-1);
        assertThat(Bare.zstdContentSize(new byte[0], 0, 0)).isEqualTo(-1);
    }
}
