package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {

    @ParameterizedTest
    @CsvSource({
        "0s, 0, 0s",
        "1ms, 1, 1ms",
        "250 ms, 250, 250ms",
        "1000ms, 1000, 1s",
        "90s, 90000, 90s",
        "2m, 120000, 2m"
    })
    void aDurationIsReadAndPrinted(String text, long millis, String printed) {
        assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
        assertThat(Durations.print(Duration.ofMillis(millis))).isEqualTo(printed);
        assertThat(Durations.parse(printed)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1h", "1.5s", "-1s", "s", "1S", "9999999999s"})
    void whatIsNoDurationIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessageContaining("write 250ms, 1s or 2m");
    }

    @Test
    void moreThanADayIsRefused() {
        assertThat(Durations.parse("1440m")).isEqualTo(Duration.ofDays(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse("1441m"))
                .withMessageContaining("longer than 24 hours");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Window.parse("1441m"))
                .withMessageContaining("longer than 24 hours");
    }

    @Test
    void aWindowIsATimeOrACount() {
        assertThat(Window.parse("1s")).isEqualTo(new Window.Time(Duration.ofSeconds(1)));
        assertThat(Window.parse("50000ops")).isEqualTo(new Window.Count(50_000));
        assertThat(Window.parse("50000ops")).hasToString("50000ops");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Window.parse("0ops"))
                .withMessageContaining("1ops");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Window.parse("0s"))
                .withMessageContaining("a window of 0s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Window.parse("ops"))
                .withMessageContaining("50000ops");
    }

    @Test
    void itsSettingsReadBackAsItself() {
        Schedule schedule = Schedule.of(Map.of(
                "rounds",
                "10000",
                "forks",
                "3",
                "window",
                "7ops",
                "warm-up",
                "1500ms",
                "seed",
                "-9223372036854775808"));

        assertThat(Schedule.of(schedule.settings())).isEqualTo(schedule);
        assertThat(schedule.settings().keySet()).containsExactlyElementsOf(Schedule.KEYS);
    }
}
