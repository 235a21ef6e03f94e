package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.link.Link;
import dev.blobmark.lab.probe.CodecFigures;
import org.junit.jupiter.api.Test;

class TimeForecastTest {

    private final TimeForecast forecast = new TimeForecast(AdviceFixture.CURVE, 2);
    private final CodecFigures none = AdviceFixture.codec("none", 1, 0, 0);
    private final CodecFigures zstd = AdviceFixture.codec("zstd:3", 4, 4, 1);

    private double read(CodecFigures codec, String link, int threads) {
        return forecast.readNanos(codec, new TimeForecast.ForecastLoad(Link.parse(link), threads, 1));
    }

    @Test
    void aFetchIsServerLinkAndCodec() {
        double rawBytes = (1_000 * 500 + 100 * 50_000) / 1_100.0;
        assertThat(none.rawBytes()).isEqualTo(rawBytes, within(1e-6));
        assertThat(read(none, "loopback", 1)).isEqualTo(20_000 + 0.5 * rawBytes, within(1e-6));
        assertThat(read(zstd, "loopback", 1))
                .isEqualTo(20_000 + 0.5 * zstd.storedBytes() + zstd.decodeNanos(), within(1e-6));
    }

    @Test
    void overASlowLinkBytesCostMoreThanDecoding() {
        assertThat(read(zstd, "loopback", 1)).isGreaterThan(read(none, "loopback", 1));
        assertThat(read(zstd, "100mbit", 1)).isLessThan(read(none, "100mbit", 1));
    }

    @Test
    void manyThreadsShareTheLinkAndTheProcessors() {
        assertThat(read(none, "100mbit", 8)).isEqualTo(8 * (none.rawBytes() + 60) / (100e6 / 8) * 1e9, within(1e-3));
        // 15 µs and 0.4 ns per byte of processor time, on two processors
        assertThat(read(none, "loopback", 16)).isEqualTo(8 * (15_000 + 0.4 * none.rawBytes()), within(1e-3));
        assertThat(read(zstd, "loopback", 16))
                .isEqualTo(8 * (15_000 + 0.4 * zstd.storedBytes() + zstd.decodeNanos()), within(1e-3));
    }

    @Test
    void eachHostHasALinkAndProcessorsOfItsOwn() {
        for (String link : new String[] {"100mbit", "loopback"}) {
            TimeForecast.ForecastLoad load = new TimeForecast.ForecastLoad(Link.parse(link), 64, 8);
            assertThat(forecast.readNanos(zstd, load)).isEqualTo(read(zstd, link, 8), within(1e-3));
        }
    }

    @Test
    void aWriteEncodesAndSends() {
        assertThat(TimeForecast.writeNanos(zstd, Link.LOOPBACK)).isEqualTo(zstd.encodeNanos(), within(1e-6));
        assertThat(TimeForecast.writeNanos(zstd, Link.parse("100mbit")))
                .isEqualTo(zstd.encodeNanos() + zstd.storedBytes() / (100e6 / 8) * 1e9, within(1e-3));
    }
}
