package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizeTest {

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1",
        "1023, 1023, 1023",
        "1024, 1024, 1KB",
        "65536, 65536, 64KB",
        "64KB, 65536, 64KB",
        "64 KB, 65536, 64KB",
        "1024KB, 1048576, 1MB",
        "1025KB, 1049600, 1025KB",
        "34011, 34011, 34011",
        "34011B, 34011, 34011",
        "64kb, 65536, 64KB",
        "64K, 65536, 64KB",
        "64 KiB, 65536, 64KB",
        "1m, 1048576, 1MB",
        "100b, 100, 100",
        "15MB, 15728640, 15MB",
        "16777215, 16777215, 16777215"
    })
    void aSizeHasOneCanonicalForm(String text, int bytes, String canonical) {
        Size size = Size.parse(text);

        assertThat(size.bytes()).isEqualTo(bytes);
        assertThat(size).hasToString(canonical);
        assertThat(Size.parse(canonical)).isEqualTo(size);
        assertThat(Size.FACTOR.canonical(text)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource({
        "64XB, is not a size",
        "64ib, is not a size",
        "1g, is not a size",
        "-1, is not a size",
        "1.5MB, is not a size",
        "'', is not a size",
        "9999999999, is not a size",
        "0, is not between 1 byte and 16777215",
        "16777216, is not between 1 byte and 16777215",
        "16MB, the longest value a MEDIUMBLOB holds",
        "999999999MB, the longest value a MEDIUMBLOB holds"
    })
    void whatIsNoSizeIsRefused(String text, String reason) {
        assertThatIllegalArgumentException().isThrownBy(() -> Size.parse(text)).withMessageContaining(reason);
    }

    @Test
    void aRangeIncludesBothEnds() {
        assertThat(Size.expand("1KB..16KB by 5KB")).containsExactly("1KB", "6KB", "11KB", "16KB");
        assertThat(Size.expand("1KB..15KB by 5KB")).containsExactly("1KB", "6KB", "11KB");
        assertThat(Size.expand("1MB..1124KB by 100KB")).containsExactly("1MB", "1124KB");
        assertThat(Size.expand("7..7 by 1")).containsExactly("7");
        assertThat(Size.expand("16777214..16777215 by 16777215")).containsExactly("16777214");
        assertThat(Size.expand("1..16777215 by 2KB")).hasSize(8192).last().isEqualTo("16775169");
        assertThat(Size.expand("64KB")).isEqualTo(List.of("64KB"));
    }

    @ParameterizedTest
    @CsvSource({
        "1KB..9KB, has no step; write 1KB..9KB by 1KB",
        "9KB..1KB by 1KB, swap its ends",
        "1KB..9KB by 0, is not between 1 byte",
        "1KB.. by 1KB, is not a size",
        "1KB..9KB by lot, is not a size",
        "1..16777215 by 1, use a larger step"
    })
    void whatIsNoRangeIsRefused(String text, String reason) {
        assertThatIllegalArgumentException().isThrownBy(() -> Size.expand(text)).withMessageContaining(reason);
    }
}
