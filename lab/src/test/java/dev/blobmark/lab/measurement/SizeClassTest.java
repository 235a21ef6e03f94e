package dev.blobmark.lab.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.study.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SizeClassTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0-1KB",
        "1, 0-1KB",
        "1023, 0-1KB",
        "1024, 1KB-4KB",
        "4095, 1KB-4KB",
        "4096, 4KB-16KB",
        "65535, 16KB-64KB",
        "65536, 64KB-256KB",
        "1048575, 256KB-1MB",
        "1048576, 1MB-4MB",
        "16777215, 4MB-16MB",
        "2147483647, 4MB-16MB"
    })
    void aClassBeginsAtAPowerOfFour(int bytes, String word) {
        assertThat(SizeClass.of(bytes)).hasToString(word).isEqualTo(SizeClass.parse(word));
    }

    @ParameterizedTest
    @EnumSource
    void itsEndsAreInItAndBehindIt(SizeClass its) {
        assertThat(SizeClass.of(its.low())).isEqualTo(its);
        assertThat(SizeClass.of(its.high() - 1)).isEqualTo(its);
        assertThat(SizeClass.numberOf(its.low())).isEqualTo(its.ordinal());
        assertThat(its.toString()).isEqualTo((its.low() == 0 ? "0" : new Size(its.low())) + "-" + high(its));
    }

    /** No size, as no column that is measured holds it. */
    private static String high(SizeClass its) {
        return its == SizeClass.TO_16MB ? "16MB" : new Size(its.high()).toString();
    }

    @Test
    void anotherWordIsNone() {
        assertThatThrownBy(() -> SizeClass.parse("1KB-2KB")).hasMessage("there is no size class '1KB-2KB'");
    }
}
