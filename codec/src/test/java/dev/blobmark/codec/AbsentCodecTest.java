package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What becomes of a codec whose library is not built for the platform. */
final class AbsentCodecTest {

    @Test
    void hasANameAndRefusesToBeUsed() {
        Codec codec = AbsentCodec.orElse("brotli:6", () -> {
            throw new UnsatisfiedLinkError("no brotli here");
        });

        assertThat(codec.id()).isEqualTo("brotli:6");
        assertThatThrownBy(() -> codec.encode(new byte[1], 0, 1, new byte[9], 0))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("brotli:6")
                .hasMessageContaining("no brotli here");
        assertThatThrownBy(() -> codec.decode(new byte[1], 0, 1, new byte[9], 0, 9))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> codec.maxEncodedLength(1)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void isOnlyThereWhereTheRealOneCannotBe() {
        Codec real = Codecs.parse("zstd:3");

        assertThat(AbsentCodec.orElse("zstd:3", () -> real)).isSameAs(real);
    }
}
