package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.fleet.host.HostClock;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class HostClockTest {

    /** Sent at 1,000 and answered at 1,400: the host was asked in between. */
    @Test
    void aClockIsAheadByTheAnswerWithoutHalfOfTheRoundTrip() {
        HostClock clock = HostClock.of(1_000, 301_200, 1_400);

        assertThat(clock.aheadNanos()).isEqualTo(300_000);
        assertThat(clock.boundNanos()).isEqualTo(200);
        assertThat(clock.hostTime(5_000)).isEqualTo(305_000);
        assertThat(clock.blobmarkTime(Instant.ofEpochSecond(0, 305_000))).isEqualTo(Instant.ofEpochSecond(0, 5_000));
    }

    /** Whatever way takes longer, the true difference is within the bound. */
    @Test
    void theBoundHoldsHoweverTheTimeOfTheRoundTripIsDivided() {
        long ahead = -7_000;
        for (long there = 0; there <= 400; there += 50) {
            HostClock clock = HostClock.of(1_000, 1_000 + there + ahead, 1_400);

            assertThat(Math.abs(clock.aheadNanos() - ahead)).isLessThanOrEqualTo(clock.boundNanos());
        }
    }

    @Test
    void theShortestRoundTripDecides() {
        HostClock near = HostClock.of(0, 10, 20);
        HostClock far = HostClock.of(0, 10, 2_000);

        assertThat(near.better(far)).isEqualTo(near);
        assertThat(far.better(near)).isEqualTo(near);
    }
}
