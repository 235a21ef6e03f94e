package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "loopback",
                "aws",
                "cross-az",
                "1gbit",
                "1gbit 0ms",
                "wifi",
                "wan",
                "slow-server",
                "10mbit",
                "2.5gbit 12.5us",
                "200mbit/20mbit 5ms",
                "any 2s",
                "any/64kbit 1ms+-500us"
            })
    void isWrittenInOneWay(String text) {
        assertThat(Link.FACTOR.canonical(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "1000mbit 0.3ms, 1gbit",
        "1000mbit, 1gbit 0ms",
        "0.2gbit 3ms±1ms, wifi",
        "240mbit/any, slow-server",
        "any, loopback",
        "3ms, any 3ms",
        "50mbit/50mbit 40ms, wan",
        "1500kbit 1000us, 1.5mbit 1ms"
    })
    void isReadInMany(String text, String canonical) {
        assertThat(Link.FACTOR.canonical(text)).isEqualTo(canonical);
    }

    @Test
    void whatIsNotEmulatedIsDirectToAnotherHost() {
        assertThat(Link.inWords("loopback", true)).isEqualTo("direct");
        assertThat(Link.inWords("loopback", false)).isEqualTo("loopback");
        assertThat(Link.inWords("wifi", true)).isEqualTo("wifi");
        assertThat(Link.FACTOR.canonical("direct")).isEqualTo("loopback");
    }

    @Test
    void hasBytesAndTimes() {
        Link link = Link.parse("200mbit/20mbit 3ms+-1ms");

        assertThat(link.down()).isEqualTo(OptionalDouble.of(25e6));
        assertThat(link.up()).isEqualTo(OptionalDouble.of(2.5e6));
        assertThat(link.roundTrip()).isEqualTo(Duration.ofMillis(3));
        assertThat(link.jitter()).isEqualTo(Duration.ofMillis(1));
        assertThat(link.isEmulated()).isTrue();
        assertThat(Link.parse("any 0ms")).isEqualTo(Link.LOOPBACK);
        assertThat(Link.LOOPBACK.isEmulated()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "wifi2",
                "200",
                "200mb 3ms",
                "200mbit 3",
                "3ms 200mbit",
                "-1mbit",
                "1e3mbit",
                "1mbit 1ms+-",
                "999999999999999gbit"
            })
    void tellsHowItIsWritten(String text) {
        assertThatThrownBy(() -> Link.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("; write bandwidth and round trip as in '200mbit 3ms'")
                .hasMessageContaining("or one of loopback, aws, ");
    }

    @ParameterizedTest
    @CsvSource({
        "63kbit, a bandwidth of 63kbit is not between 64kbit and 100gbit",
        "101gbit, a bandwidth of 101gbit is not between 64kbit and 100gbit",
        "1gbit 2.1s, a round trip of 2.1s is not between 0 and 2s",
        "1gbit 1ms+-2ms, a jitter of 2ms is more than the round trip of 1ms"
    })
    void tellsWhatIsOutOfRange(String text, String reason) {
        assertThatThrownBy(() -> Link.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(reason);
    }
}
