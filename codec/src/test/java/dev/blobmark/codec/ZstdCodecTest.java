package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class ZstdCodecTest extends CodecContract {

    ZstdCodecTest() {
        super("zstd", "zstd:-5", "zstd:1", "zstd:22");
    }

    @Override
    boolean checksummed() {
        return false;
    }

    /** A stream does not state the length of the value. */
    @Test
    void readsFramesThatStateNoLength() throws IOException {
        for (byte[] value : Samples.various()) {
            for (boolean checksum : new boolean[] {false, true}) {
                assertThat(ZSTD.decode(stream(value, checksum), value.length)).isEqualTo(value);
                assertThat(ZSTD.decode(stream(value, checksum), Codec.MAX_LENGTH))
                        .isEqualTo(value);
            }
        }
        byte[] frame = stream(new byte[5000], false);
        assertThatThrownBy(() -> ZSTD.decode(frame, 4999)).hasMessageContaining("longer than the 4999 bytes");
        byte[] zeros = new byte[16 << 20];
        assertThat(ZSTD.decode(stream(zeros, false), zeros.length)).isEqualTo(zeros);
    }

    private static final Codec ZSTD = Codecs.parse("zstd");

    private static byte[] stream(byte[] value, boolean checksum) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (var zstd = new ZstdOutputStreamNoFinalizer(frame).setChecksum(checksum)) {
            for (int at = 0; at < value.length; at += 1000) {
                zstd.write(value, at, Math.min(1000, value.length - at));
            }
        }
        return frame.toByteArray();
    }
}
