package dev.blobmark.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

final class CodecsTest {

    @SuppressWarnings("unused")
    private static final Iterable<CodecFamily> FAMILIES = Codecs.all();

    @ParameterizedTest
    @CsvSource({
        "none, none",
        "gzip, gzip:6",
        "gzip:9, gzip:9",
        "deflate+len, deflate:6+len",
        "deflate:1+len, deflate:1+len",
        "zstd, zstd:3",
        "zstd:-5, zstd:-5",
        "brotli, brotli:6",
        "brotli:0+len, brotli:0+len",
        "snappy, snappy",
        "lz4, lz4",
        "lz4hc, lz4hc:9",
        "mysql, mysql:6",
    })
    void writesTheLevelIntoTheId(String text, String id) {
        assertThat(Codecs.parse(text).id()).isEqualTo(id);
        assertThat(Codecs.parse(id)).isSameAs(Codecs.parse(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "zsdt:3         | no codec is called \"zsdt\"; did you mean zstd? (there are none, gzip, zlib, deflate,"
                        + " zstd, snappy, brotli, lz4, lz4hc, mysql)",
                "Gzip           | no codec is called \"Gzip\"; did you mean gzip?",
                "winzip-archive | no codec is called \"winzip-archive\" (there are none,",
                "zstd:23        | \"23\" is no level of zstd, which has -131072 to -1 and 1 to 22, default 3",
                "zstd:0         | \"0\" is no level of zstd",
                "zstd:-131073   | \"-131073\" is no level of zstd",
                "lz4hc:17       | \"17\" is no level of lz4hc, which has 1 to 12, default 9",
                "lz4hc:0        | \"0\" is no level of lz4hc",
                "brotli:12      | \"12\" is no level of brotli, which has 0 to 11, default 6",
                "gzip:10        | \"10\" is no level of gzip, which has 1 to 9, default 6",
                "gzip:06        | \"06\" is no level of gzip",
                "gzip:99999999999999 | \"99999999999999\" is no level of gzip",
                "gzip:          | \"\" is no level of gzip",
                "gzip:best      | \"best\" is no level of gzip",
                "lz4:9          | lz4 has no levels; write lz4, or lz4hc:9",
                "snappy:1       | snappy has no levels; write snappy",
                "gzip+len       | gzip takes no +len; these do: zlib, deflate, brotli",
                "deflate+len:6  | the level comes first: deflate:6+len",
                "deflate+length | \"+length\" is unknown; only +len may follow",
                "deflate:6:7    | \"6:7\" is no level of deflate",
            })
    void namesTheWordTheReasonAndTheMend(String text, String message) {
        assertThatThrownBy(() -> Codecs.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("codec \"" + text + "\": " + message);
    }

    @ParameterizedTest
    @FieldSource("FAMILIES")
    void describesEveryCodecAndItsLibrary(CodecFamily family) {
        assertThat(family.unavailable()).isEmpty();
        assertThat(family.summary()).isNotBlank();
        if (!family.name().equals("none"))
            assertThat(family.library()).containsPattern(Pattern.compile("[0-9]+\\.[0-9]"));
        assertThat(Codecs.parse(family.name()).isIdentity())
                .isEqualTo(family.name().equals("none"));
        family.levels().ifPresent(levels -> {
            assertThat(Codecs.parse(family.name() + ":" + levels.lowest()).id()).endsWith(":" + levels.lowest());
            assertThat(Codecs.parse(family.name() + ":" + levels.highest()).id())
                    .endsWith(":" + levels.highest());
        });
    }

    @Test
    void saysWhatALineOfTheListSays() {
        assertThat(Codecs.all())
                .extracting(CodecFamily::toString)
                .contains(
                        "none",
                        "deflate[:level][+len], level 1 to 9, default 6",
                        "lz4hc[:level], level 1 to 12, default 9");
    }

    @Test
    void levelsValidateThemselves() {
        assertThatThrownBy(() -> new Levels(2, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Levels(1, 9, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Levels(-5, 9, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
