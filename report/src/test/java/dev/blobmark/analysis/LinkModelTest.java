package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.link.Link;
import org.junit.jupiter.api.Test;

class LinkModelTest {

    /** A megabyte as it is: 100 µs to the first byte, 300 µs to receive and copy. */
    private static final LinkModel PLAIN = new LinkModel(100_000, 300_000, 0, 1e6, 20, 1e6, 1);

    /** The same as a quarter, 1 ms to decode. */
    private static final LinkModel PACKED = new LinkModel(100_000, 100_000, 1_000_000, 250_000, 20, 1e6, 1);

    @Test
    void withoutALimitItIsWhatWasMeasured() {
        assertThat(PLAIN.throughput(Link.LOOPBACK)).isCloseTo(1e6 / 400e-6, within(1.0));
    }

    @Test
    void aRoundTripIsAddedOnceAndASlowLinkTakesThePlaceOfReceiving() {
        assertThat(PLAIN.throughput(Link.parse("any 5ms"))).isCloseTo(1e6 / 5.4e-3, within(1.0));
        // 80 ms for the megabyte, and 1.6 µs for the request
        assertThat(PLAIN.throughput(Link.parse("100mbit 5ms"))).isCloseTo(1e6 / 85.1016e-3, within(1.0));
        // the machine is slower than the link
        assertThat(PLAIN.throughput(Link.parse("80gbit/any"))).isCloseTo(1e6 / 400e-6, within(1.0));
    }

    @Test
    void threadsShareTheLink() {
        LinkModel four = new LinkModel(100_000, 300_000, 0, 1e6, 20, 1e6, 4);

        assertThat(four.throughput(Link.LOOPBACK)).isCloseTo(4e6 / 400e-6, within(1.0));
        assertThat(four.throughput(Link.parse("100mbit/any"))).isCloseTo(12.5e6, within(1.0));
        assertThat(four.throughput(Link.parse("any 5ms"))).isCloseTo(4e6 / 5.4e-3, within(1.0));
    }

    @Test
    void methodsAreEqualWhereWhatOneSavesOnTheWireIsWhatItTakesToDecode() {
        // 100 µs + 1 MB / B = 100 µs + max(100 µs, 250 KB / B) + 1 ms: 750 KB / B = 1 ms
        assertThat(PLAIN.crossings(PACKED, Link.LOOPBACK))
                .singleElement()
                .satisfies(at -> assertThat(at).isCloseTo(7.5e8, within(1e4)));
        assertThat(PACKED.crossings(PLAIN, Link.LOOPBACK)).isEqualTo(PLAIN.crossings(PACKED, Link.LOOPBACK));
        assertThat(PLAIN.crossings(PLAIN, Link.LOOPBACK)).isEmpty();
    }
}
