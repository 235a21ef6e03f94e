package dev.blobmark.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.lab.link.Link;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerCurveTest {

    private static ServerCurve.SizePoint point(double bytes, double nanos) {
        return new ServerCurve.SizePoint(bytes, nanos / 2, nanos / 4, nanos / 4, bytes, 50, nanos, nanos);
    }

    @Test
    void betweenTwoPointsItIsALine() {
        ServerCurve curve = new ServerCurve(1, List.of(point(1_000, 40_000), point(0, 20_000), point(9_000, 80_000)));
        assertThat(curve.at(500).nanos()).isEqualTo(30_000, within(1e-6));
        assertThat(curve.at(5_000).nanos()).isEqualTo(60_000, within(1e-6));
    }

    @Test
    void beyondTheEndsTheLastLineContinues() {
        ServerCurve curve = new ServerCurve(1, List.of(point(100, 20_000), point(1_000, 29_000), point(2_000, 30_000)));
        assertThat(curve.at(4_000).nanos()).isEqualTo(32_000, within(1e-6));
        assertThat(curve.at(0).nanos()).isEqualTo(19_000, within(1e-6));
    }

    @Test
    void aLinkAddsItsRoundTripAndTheTimeOfTheBytes() {
        ServerCurve curve = new ServerCurve(1, List.of(point(0, 20_000), point(100_000, 60_000)));
        assertThat(curve.nanos(100_000, Link.LOOPBACK)).isEqualTo(60_000, within(1e-6));
        // 100 KB at 125 MB/s take 800 µs, 50 bytes 0.4 µs; the 15 µs of receiving pass meanwhile
        assertThat(curve.nanos(100_000, Link.parse("1gbit 3ms")))
                .isEqualTo(60_000 - 15_000 + 3_000_000 + 800_000 + 400, within(1.0));
        assertThat(curve.linkNanos(100_000, Link.parse("1gbit 3ms"))).isEqualTo(800_000, within(1e-6));
        assertThat(curve.linkNanos(100_000, Link.LOOPBACK)).isZero();
    }

    @Test
    void aServerThatHasBecomeSlowerIsSeen() {
        ServerCurve curve = new ServerCurve(1, List.of(point(0, 20_000), point(100_000, 60_000)));
        ServerCurve slower = new ServerCurve(1, List.of(point(0, 2_020_000), point(100_000, 2_060_000)));
        assertThat(curve.difference(curve)).isEqualTo(1, within(1e-9));
        assertThat(curve.difference(slower)).isEqualTo(101, within(1e-6));
        assertThat(slower.difference(curve)).isEqualTo(101, within(1e-6));
    }

    @Test
    void onePointIsNoCurve() {
        assertThatThrownBy(() -> new ServerCurve(1, List.of(point(1, 1)))).hasMessageContaining("needs two points");
    }
}
