package dev.blobmark.reencode.binlog;

import static dev.blobmark.reencode.binlog.Log.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of row images; the bytes are those that MySQL 9.7.4 and MariaDB 11.4.5 write. */
class LoggedTypeTest {

    private static Object value(int code, String metadata, String bytes, boolean isUnsigned) {
        byte[] meta = hex(metadata);
        int[] numbers = new int[meta.length];
        for (int i = 0; i < meta.length; i++) {
            numbers[i] = Byte.toUnsignedInt(meta[i]);
        }
        assertThat(LoggedType.metadataBytes(code)).isEqualTo(meta.length);
        LoggedType type = LoggedType.of(code, numbers);
        Bytes image = new Bytes(hex(bytes + "77"));
        byte[] taken = type.take(image);
        assertThat(image.left()).as("the value is passed over exactly").isOne();
        return type.value(taken, isUnsigned, 0);
    }

    @ParameterizedTest
    @CsvSource({
        "1, '', ff, false, -1",
        "1, '', ff, true, 255",
        "2, '', 0080, false, -32768",
        "9, '', ffffff, true, 16777215",
        "9, '', ffffff, false, -1",
        "3, '', 00000080, false, -2147483648",
        "8, '', ffffffffffffffff, true, 18446744073709551615",
        "13, '', 00, false, 0",
        "13, '', 7e, false, 2026",
        "16, 0501, 1234, false, 4660",
        "16, 0001, ff, false, 255",
        "254, f701, 02, false, 2",
        "254, f802, 0501, false, 261",
        "246, 0e04, 810dfb38d204d2, false, 1234567890.1234",
        "246, 0e04, 7ef204c72dfb2d, false, -1234567890.1234",
        "246, 0200, 80, false, 0",
        "246, 140a, 810dfb38d200bc614e09, false, 1234567890.0123456789"
    })
    void numbers(int code, String metadata, String bytes, boolean isUnsigned, BigDecimal expected) {
        assertThat(value(code, metadata, bytes, isUnsigned)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "10, '', 43d40f, 2026-02-03",
        "10, '', 000000, 0000-00-00",
        "18, 00, 99b9064146, 2026-02-03 04:05:06",
        "18, 05, 99b90641460c0a12, 2026-02-03 04:05:06.78901",
        "17, 00, 698173f2, 2026-02-03 04:05:06",
        "17, 01, 698173f246, 2026-02-03 04:05:06.7",
        "17, 00, 00000000, 0000-00-00 00:00:00",
        "19, 00, 80c8b8, 12:34:56",
        "19, 00, 800000, 00:00:00",
        "19, 00, 7f3748, -12:34:56",
        "19, 03, 7f3747e12e, -12:34:56.789",
        "19, 06, 7f3747f3f5eb, -12:34:56.789013",
        "19, 01, 7fffffec, -00:00:00.2",
        "15, 2800, 03616200, abNUL"
    })
    void texts(int code, String metadata, String bytes, String expected) {
        assertThat(((String) value(code, metadata, bytes, false)).replace("\0", "NUL"))
                .isEqualTo(expected.replace("NUL", "NUL"));
    }

    @Test
    void lengths() {
        assertThat((String) value(253, "2c01", "02006161", false)).isEqualTo("aa");
        // up to 255 bytes, the length has one byte
        assertThat((String) value(253, "ff00", "026161", false)).isEqualTo("aa");
        assertThat((String) value(253, "0001", "02006161", false)).isEqualTo("aa");
        assertThat((String) value(254, "feff", "026161", false)).isEqualTo("aa");
        assertThat((String) value(254, "ee00", "02006161", false)).isEqualTo("aa");
        assertThat((String) value(254, "fe0a", "026161", false)).isEqualTo("aa");
        // CHAR(200) of utf8mb4: 800 bytes, whose upper bits are inverted in the type
        assertThat((String) value(254, "ce20", "03006161c3", false)).isEqualTo("aa\u00c3");
    }

    @Test
    void bytesOfBinaryArePadded() {
        LoggedType type = LoggedType.of(254, new int[] {254, 4});
        assertThat(type.value(hex("01"), false, 4)).isEqualTo("\u0001\0\0\0");
    }

    @ParameterizedTest
    @CsvSource({"7", "11", "12", "20", "243", "244", "99"})
    void unknownTypesEndIt(int code) {
        assertThatThrownBy(() -> LoggedType.metadataBytes(code))
                .isInstanceOf(IncompleteLogException.class)
                .hasMessageContaining("the code " + code);
        assertThatThrownBy(() -> LoggedType.of(code, new int[2])).isInstanceOf(IncompleteLogException.class);
    }

    @ParameterizedTest
    @CsvSource({"4, 04", "5, 08", "252, 02", "6, ''"})
    void otherTypesAreNoKeys(int code, String metadata) {
        byte[] meta = hex(metadata);
        LoggedType type = LoggedType.of(code, meta.length == 0 ? new int[0] : new int[] {meta[0]});
        assertThatThrownBy(() -> type.value(new byte[8], false, 0)).isInstanceOf(IncompleteLogException.class);
    }
}
