package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryTest {

    private static final Delivery.Loopback LOOPBACK = new Delivery.Loopback(3e9, Duration.ofNanos(30_000));

    /**
     * It cannot be faster than its figures; how near it comes is measured by {@code LinkDelivery} in bench/evidence.
     */
    @Test
    void aLinkDeliversNoMoreThanItHas() throws Exception {
        Delivery delivery = Delivery.of(Link.parse("40mbit 2ms"));

        assertThat(delivery.bytesPerSecond()).isBetween(1e5, 5.05e6);
        assertThat(delivery.roundTrip()).isGreaterThan(Duration.ofMillis(2));
        assertThat(delivery.loopback().bytesPerSecond()).isGreaterThan(delivery.bytesPerSecond());
        assertThat(delivery.loopback().roundTrip()).isLessThan(delivery.roundTrip());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "",
            value = {
                "80mbit 1ms,        9.8e6, 1070,",
                "80mbit 1ms,        9.6e6, 1030, this machine delivers 77 of its 80 Mbit/s (24000 without the link)",
                "80mbit 1ms,        9.8e6, 1095, it adds a round trip of 1065 µs on this machine instead of 1000",
                "80mbit 1ms,        9.8e6,  900, it adds a round trip of 870 µs on this machine instead of 1000",
                "any 40ms,          1e6,  41900,",
                "80mbit 3ms+-1ms,   9.8e6, 3900,",
                "80mbit 3ms+-1ms,   9.8e6, 4300, it adds a round trip of 4270 µs on this machine instead of 3000",
                "loopback,          1,     9999,"
            })
    void whatIsNotAsItShouldBeIsTold(String link, double bytesPerSecond, long roundTripMicros, String fault) {
        Delivery delivery =
                new Delivery(Link.parse(link), bytesPerSecond, Duration.ofNanos(roundTripMicros * 1_000), LOOPBACK);

        assertThat(delivery.fault().orElse(null)).isEqualTo(fault);
        assertThat(delivery.isSustained()).isEqualTo(fault == null);
    }
}
