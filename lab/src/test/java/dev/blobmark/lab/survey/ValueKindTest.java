package dev.blobmark.lab.survey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueKindTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            1f8b0800000000,                     GZIP
            28b52ffd0458,                       ZSTD
            04224d186440,                       LZ4
            ff060000734e61507059,               SNAPPY
            425a6839314159265359,               BZIP2
            fd377a585a0000,                     XZ
            377abcaf271c0004,                   SEVEN_ZIP
            526172211a0701,                     RAR
            504b0304140000,                     ZIP
            ffd8ffe000104a464946,               JPEG
            89504e470d0a1a0a0000,               PNG
            474946383961,                       GIF
            52494646aabbccdd57454250565038,     WEBP
            52494646aabbccdd57415645,           BYTES
            0000000c4a584c200d0a870a,           JPEG_XL
            00000018667479706d703432,           ISO_MEDIA
            1a45dfa39f42,                       MATROSKA
            4f67675300,                         OGG
            664c614300,                         FLAC
            49443304,                           MP3
            255044462d312e37,                   PDF
            5041523115,                         PARQUET
            789c4b4c,                           ZLIB
            785e4b4c,                           ZLIB
            789d4b4c,                           BYTES
            05000000789c4b4c,                   COMPRESS
            00000000789c4b4c,                   BYTES
            ffd8,                               BYTES
            1f,                                 BYTES
            """)
    void formatsAreKnownByTheirFirstBytes(String hex, ValueKind kind) {
        byte[] value = HexFormat.of().parseHex(hex);
        assertThat(ValueKind.of(value, false)).isEqualTo(kind);
        assertThat(kind.isCompressed()).isEqualTo(kind != ValueKind.BYTES);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {"a": 1}                                          | JSON
            [{"a": 1}]                                        | JSON
            [1, 2]                                            | JSON
            {}                                                | JSON
            [ ]                                               | JSON
            {{template}}                                      | TEXT
            [section]                                         | TEXT
            <?xml version="1.0"?><a/>                         | XML
            <p>text                                           | XML
            < 3                                               | TEXT
            0123456789abcdef0123456789ABCDEF                  | HEX
            0123456789abcdef                                  | TEXT
            SGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IHRleHQ=      | BASE64
            onlylettersandnodigitsatallinonelongword          | TEXT
            Grüße aus Köln                                    | TEXT
            """)
    void textIsKnownByItsForm(String text, ValueKind kind) {
        assertThat(ValueKind.of(text.getBytes(StandardCharsets.UTF_8), true)).isEqualTo(kind);
        assertThat(ValueKind.of(text.getBytes(StandardCharsets.UTF_8), false)).isEqualTo(kind);
        assertThat(kind.isCompressed()).isFalse();
    }

    /** In a column of text, other encodings than UTF-8 are text too. */
    @Test
    void onlyTheColumnTellsTextInOtherEncodingsFromBytes() {
        for (byte[] value : new byte[][] {
            "Grüße".repeat(5).getBytes(StandardCharsets.ISO_8859_1), "text".getBytes(StandardCharsets.UTF_16BE)
        }) {
            assertThat(ValueKind.of(value, true)).isEqualTo(ValueKind.TEXT);
            assertThat(ValueKind.of(value, false)).isEqualTo(ValueKind.BYTES);
        }
    }

    @Test
    void theLastCharacterMayBeCut() {
        byte[] text = ("a" + "ü".repeat(400)).getBytes(StandardCharsets.UTF_8);
        assertThat(ValueKind.of(Arrays.copyOf(text, 599), false)).isEqualTo(ValueKind.TEXT);
        assertThat(ValueKind.of(new byte[0], false)).isEqualTo(ValueKind.TEXT);
    }

    @ParameterizedTest
    @CsvSource({
        "gzip:1,GZIP",
        "gzip:9,GZIP",
        "zlib:1,ZLIB",
        "zlib:6,ZLIB",
        "zlib:9,ZLIB",
        "zstd:3,ZSTD",
        "mysql:6,COMPRESS"
    })
    void whatCodecsWriteIsFound(String id, ValueKind kind) {
        byte[] value = "a value, a value, a value".getBytes(StandardCharsets.UTF_8);
        Codec codec = Codecs.parse(id);
        byte[] encoded = new byte[codec.maxEncodedLength(value.length)];
        int length = codec.encode(value, 0, value.length, encoded, 0);
        assertThat(ValueKind.of(Arrays.copyOf(encoded, length), false)).isEqualTo(kind);
    }

    @Test
    void randomBytesAreRarelyTakenForAFormat() {
        Random random = new Random(1);
        int found = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] value = new byte[64];
            random.nextBytes(value);
            found += ValueKind.of(value, false) == ValueKind.BYTES ? 0 : 1;
        }
        // two in 16,384 have the two bytes of zlib, at the beginning or after a length
        assertThat(found).isLessThan(40);
    }
}
