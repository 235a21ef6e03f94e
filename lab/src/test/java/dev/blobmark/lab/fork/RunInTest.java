package dev.blobmark.lab.fork;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

final class RunInTest {

    private final List<Duration> parts = new ArrayList<>();

    @Test
    void endsWhenCompilersRest() throws InterruptedException {
        new RunIn(Duration.ofMillis(100)).run(length -> compiling(length, parts.size() < 2 ? 0.8 : 0.04));
        assertThat(parts).hasSize(3).allMatch(length -> length.toMillis() == 400);
    }

    @Test
    void endsAfterThreeSecondsIfTheyDoNot() throws InterruptedException {
        new RunIn(Duration.ofSeconds(5)).run(length -> compiling(length, 1));
        assertThat(parts).hasSize(6).allMatch(length -> length.toMillis() == 500);
    }

    @Test
    void endsWhenOperationsFail() throws InterruptedException {
        new RunIn(Duration.ofSeconds(5)).run(length -> {
            parts.add(length);
            return OptionalDouble.empty();
        });
        assertThat(parts).hasSize(1);
    }

    /** Then the first operations are what is measured; only classes are loaded before. */
    @Test
    void isOneOperationWithoutAWarmUp() throws InterruptedException {
        new RunIn(Duration.ZERO).run(length -> compiling(length, 1));
        assertThat(parts).containsExactly(Duration.ofNanos(1));
    }

    private OptionalDouble compiling(Duration length, double processors) {
        parts.add(length);
        return OptionalDouble.of(processors);
    }
}
