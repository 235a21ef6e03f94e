package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ElapsedTest {

    private static final long MINUTE = 60_000_000_000L;

    private final Elapsed begin = new Elapsed(5, 1_000);

    @Test
    void theLongerOfBothTimesCounts() {
        assertThat(begin.isMoreThan(MINUTE, 5 + MINUTE, 61_000)).isFalse();
        assertThat(begin.isMoreThan(MINUTE, 6 + MINUTE, 1_000)).isTrue();
        // suspended for an hour
        assertThat(begin.isMoreThan(MINUTE, 6, 1_000 + 3_600_000)).isTrue();
        // the time of day was set back by an hour
        assertThat(begin.isMoreThan(MINUTE, 6, 1_000 - 3_600_000)).isFalse();
        assertThat(begin.isMoreThan(MINUTE, 6 + MINUTE, 1_000 - 3_600_000)).isTrue();
    }
}
