package dev.blobmark.reencode.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Places of the log, their order, and which file follows on which. */
class LogPositionTest {

    @Test
    void aPlaceIsWrittenAndReadAgain() {
        LogPosition place = new LogPosition("shop:log.000007", 4_294_967_296L);
        assertThat(place).hasToString("shop:log.000007:4294967296");
        assertThat(LogPosition.parse(place.toString())).isEqualTo(place);
    }

    /** The number of a file becomes longer after 999999. */
    @ParameterizedTest
    @CsvSource({
        "log.000007:100, log.000007:100, 0",
        "log.000007:101, log.000007:100, 1",
        "log.000007:99, log.000007:100, -1",
        "log.000008:4, log.000007:100, 1",
        "log.000007:100, log.000008:4, -1",
        "log.1000000:4, log.999999:100, 1",
    })
    void theOrderOfPlaces(String one, String other, int sign) {
        assertThat(Integer.signum(LogPosition.parse(one).compareTo(LogPosition.parse(other))))
                .isEqualTo(sign);
    }

    @ParameterizedTest
    @CsvSource({"4, true", "0, true", "5, false", "123, false"})
    void theBeginOfAFile(long offset, boolean isBegin) {
        assertThat(new LogPosition("log.000007", offset).isBegin()).isEqualTo(isBegin);
    }

    @ParameterizedTest
    @CsvSource({
        "log.000007, log.000008, true",
        "log.999999, log.1000000, true",
        "log.000007, log.000007, false",
        "log.000007, log.000009, false",
        "log.000007, other.000008, false",
        "log.000007, log-2.000008, false",
        "a.log.000007, a.000008, false",
    })
    void theNextFile(String file, String next, boolean isNext) {
        assertThat(new LogPosition(file, 4).isBeforeFile(next)).isEqualTo(isNext);
    }
}
