package dev.blobmark.reencode.binlog;

import static dev.blobmark.reencode.binlog.Log.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of an event, and that nothing is read past its end. */
class BytesTest {

    @ParameterizedTest
    @CsvSource({
        "00, 0",
        "fa, 250",
        "fcff01, 511",
        "fd010203, 197121",
        "fe0102030405060708, 578437695752307201",
        "feffffffffffffffff, -1"
    })
    void packedIntegers(String bytes, long expected) {
        Bytes packed = new Bytes(hex(bytes));
        assertThat(packed.packed()).isEqualTo(expected);
        assertThat(packed.left()).isZero();
    }

    /** 251 means NULL elsewhere in the protocol, 255 an error. */
    @ParameterizedTest
    @ValueSource(strings = {"fb", "ff"})
    void otherFirstBytesAreNoIntegers(String first) {
        assertThatThrownBy(() -> new Bytes(hex(first + "0000000000000000")).packed())
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @ParameterizedTest
    @CsvSource({"-1, 2", "0, 5", "3, 2"})
    void aPartMustBeWithinTheBytes(int from, int to) {
        assertThatThrownBy(() -> new Bytes(new byte[4], from, to)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** A length of 8 bytes may be negative. */
    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, 4, Long.MAX_VALUE})
    void nothingIsReadPastTheEnd(long length) {
        Bytes bytes = new Bytes(new byte[4]);
        bytes.skip(1);
        assertThatThrownBy(() -> bytes.skip(length)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> bytes.part(length)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> bytes.text(length)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(bytes.left()).isEqualTo(3);
    }

    /** A bitmap has whole bytes; those bits that are of nothing are not counted. */
    @ParameterizedTest
    @CsvSource({"7, 1, 7", "8, 1, 8", "9, 2, 8", "0, 0, 0"})
    void bitmaps(int count, int length, int cardinality) {
        Bytes bytes = new Bytes(hex("fffe"));
        Bytes.Bits bits = bytes.bits(count);
        assertThat(bytes.left()).isEqualTo(2 - length);
        assertThat(bits.cardinality()).isEqualTo(cardinality);
    }

    @Test
    void bitsOfABitmap() {
        Bytes.Bits bits = new Bytes(hex("8101")).bits(9);
        assertThat(bits.isSet(0)).isTrue();
        assertThat(bits.isSet(1)).isFalse();
        assertThat(bits.isSet(7)).isTrue();
        assertThat(bits.isSet(8)).isTrue();
    }
}
