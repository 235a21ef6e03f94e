package dev.blobmark.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
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

    private static Schedule with(String... precisionAndBudget) {
        Map<String, String> settings =
                new HashMap<>(Map.of("rounds", "3", "forks", "3", "window", "1s", "warm-up", "1s", "seed", "1"));
        for (int i = 0; i < precisionAndBudget.length; i += 2) {
            settings.put(precisionAndBudget[i], precisionAndBudget[i + 1]);
        }
        return Schedule.of(settings);
    }

    @Test
    void precisionAndBudgetAreThereOrNot() {
        assertThat(with().untilPrecise()).isEmpty();
        assertThat(with("precision", "1%").untilPrecise()).contains(new Schedule.UntilPrecise(0.01, Optional.empty()));
        Schedule both = with("precision", "0.7 %", "budget", "600s");
        assertThat(both.untilPrecise()).contains(new Schedule.UntilPrecise(0.007, Optional.of(Duration.ofMinutes(10))));
        assertThat(both.settings()).containsEntry("precision", "0.7%").containsEntry("budget", "10m");
        assertThat(Schedule.of(both.settings())).isEqualTo(both);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "0%", "0.0%", "101%", "-1%", "1e-2%", "1.0000001%", "%", "one%"})
    void whatIsNoPrecisionIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with("precision", text))
                .withMessageContaining("write 1% or 0.5%");
        assertThatIllegalArgumentException().isThrownBy(() -> Schedule.check("precision", text));
    }

    @Test
    void aBudgetAloneIsForDeciding() {
        Schedule deciding = with("budget", "600s");
        assertThat(deciding.untilPrecise()).isEmpty();
        assertThat(deciding.untilDecided()).contains(Duration.ofMinutes(10));
        assertThat(deciding.settings()).containsEntry("budget", "10m");
        assertThat(Schedule.of(deciding.settings())).isEqualTo(deciding);
        assertThat(with().decidingWithin(Duration.ofMinutes(10))).isEqualTo(deciding);
    }

    @Test
    void aBudgetMeasuresSomething() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with("budget", "0s"))
                .withMessageContaining("give it 1m or more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with("precision", "1%", "budget", "0s"))
                .withMessageContaining("give it 1m or more");
    }
}
