package dev.blobmark.lab.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnContentTest {

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"b":1,"a":[true,null]}  | { "a" : [ true , null ], "b" : 1 }
            {"a":1,"a":2}            | {"a": 2}
            "\\u00e4\\/"             | "ä/"
            1e2                      | 100.0
            1.50                     | 1.5
            12345678901234567890123  | 1.2345678901234568e22
            0.1234567890123456789    | 0.12345678901234568
            18446744073709551615     | 18446744073709551615
            -0.0                     | 0.0
            """)
    void aDocumentIsTheSameInAnyForm(String stored, String received) {
        assertThat(ColumnContent.JSON.isSame(utf8(received), utf8(stored))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"a":1}             | {"a":2}
            {"a":1}             | {"a":1,"b":null}
            {"a":null,"c":1}    | {"b":null,"c":1}
            [1,2]               | [2,1]
            [1]                 | 1
            {"a":1,"a":2}       | {"a":1}
            "1"                 | 1
            "a"                 | "a "
            1                   | true
            123456789012345678  | 123456789012345679
            0.1                 | 0.10000000000000002
            {}                  | []
            {}                  | {
            """)
    void anotherDocumentIsNot(String stored, String received) {
        assertThat(ColumnContent.JSON.isSame(utf8(received), utf8(stored))).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', nullValues = "-", textBlock = """
            {"a": 1}        | -
            "ä"             | -
            null            | -
            {"a": 1         | is not JSON
            {'a': 1}        | is not JSON
            {"a": NaN}      | is not JSON
            {"a": 01}       | is not JSON
            {"a":1} {"b":2} | is not JSON
            abc             | is not JSON
            1e400           | has a number beyond the range of a double
            "\\ud83d"       | has half of a surrogate pair in a string
            {"\\ude00":1}   | is not JSON
            {"\\ud83d":1}   | is not JSON
            """)
    void whatIsNoDocumentIsSaidSo(String text, String problem) {
        if (problem == null) {
            assertThat(ColumnContent.JSON.problem(utf8(text))).isEmpty();
        } else {
            assertThat(ColumnContent.JSON.problem(utf8(text)).orElseThrow()).startsWith(problem);
        }
    }

    @Test
    void bytesThatAreNoJsonAreRefused() {
        assertThat(ColumnContent.JSON.problem(new byte[0])).contains("is not JSON");
        assertThat(ColumnContent.JSON.problem(utf8("  "))).contains("is not JSON");
        assertThat(ColumnContent.JSON.problem(utf8("\ufeff{}"))).contains("is not JSON");
        assertThat(ColumnContent.JSON.problem("\"\u00e4\"".getBytes(StandardCharsets.ISO_8859_1)))
                .contains("is not UTF-8");
        assertThat(ColumnContent.JSON.problem("{}".getBytes(StandardCharsets.UTF_16LE)))
                .isPresent();
        assertThat(ColumnContent.JSON.problem(utf8("[".repeat(99) + "1" + "]".repeat(99))))
                .isEmpty();
        assertThat(ColumnContent.JSON.problem(utf8("[".repeat(100) + "1" + "]".repeat(100))))
                .contains("is nested more than 100 levels deep");
        assertThat(ColumnContent.JSON.problem(utf8("[".repeat(100_000)))).isPresent();
    }

    @Test
    void textIsInItsCharacterSet() {
        byte[] umlaut = "\u00e4".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(ColumnContent.UTF8MB4.problem(umlaut)).contains("is not UTF-8");
        assertThat(ColumnContent.UTF8MB4.problem(utf8("\ud83d\ude00"))).isEmpty();
        assertThat(ColumnContent.UTF8MB3.problem(utf8("\u20ac"))).isEmpty();
        assertThat(ColumnContent.UTF8MB3.problem(utf8("\ud83d\ude00")))
                .contains("has a character of four bytes, which utf8mb3 lacks");
        assertThat(ColumnContent.LATIN1.problem(umlaut)).isEmpty();
        assertThat(ColumnContent.ASCII.problem(umlaut)).contains("is not ASCII");
        assertThat(ColumnContent.ASCII.problem(utf8("a "))).isEmpty();
        assertThat(ColumnContent.BYTES.problem(umlaut)).isEmpty();
    }

    @Test
    void latin1MayComeBackInUtf8() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        assertThat(ColumnContent.LATIN1.isSame(all, all)).isTrue();
        // the Euro sign and a byte that Windows-1252 has no character for
        assertThat(ColumnContent.LATIN1.isSame(
                        utf8("\u20ac\u0081\u00e4"), new byte[] {(byte) 0x80, (byte) 0x81, (byte) 0xe4}))
                .isTrue();
        assertThat(ColumnContent.LATIN1.isSame(utf8("?"), new byte[] {(byte) 0x80}))
                .isFalse();
        assertThat(ColumnContent.UTF8MB4.isSame(utf8("\u00e4"), new byte[] {(byte) 0xe4}))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "json",
                "tinytext",
                "text",
                "mediumtext",
                "longtext",
                "text:latin1",
                "longtext:utf8mb4_bin",
                "mediumtext:ascii",
                "text:utf8mb3_general_ci",
                "own"
            })
    void columnsOfTextAreWrittenInOneWay(String level) {
        assertThat(Column.FACTOR.canonical(level)).isEqualTo(level);
    }

    @Test
    void shortFormsHaveALongOne() {
        assertThat(Column.FACTOR.canonical("longtext:utf8mb4")).isEqualTo("longtext");
        assertThat(Column.FACTOR.canonical("text:utf8_general_ci")).isEqualTo("text:utf8mb3_general_ci");
        assertThat(Column.FACTOR.parse("text:latin1_bin").type())
                .isEqualTo("TEXT CHARACTER SET latin1 COLLATE latin1_bin");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            longtxt           | unknown column 'longtxt'; did you mean 'longtext'?
            jsn               | unknown column 'jsn'; did you mean 'json'?
            text:gbk          | column 'text:gbk': text can be measured in utf8mb4, utf8mb3, latin1 and ascii; for another
            text:utf16_bin    | column 'text:utf16_bin': text can be measured in
            text:             | unknown column 'text:'
            json:utf8mb4      | unknown column 'json:utf8mb4'
            """)
    void othersAreRefused(String level, String says) {
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> Column.FACTOR.parse(level)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(says);
    }
}
