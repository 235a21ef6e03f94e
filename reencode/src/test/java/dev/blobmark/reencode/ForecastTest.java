package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobmark.mysql.admission.ToleratedLoad;
import dev.blobmark.reencode.check.Forecast;
import dev.blobmark.reencode.check.Sampled;
import dev.blobmark.reencode.row.RowImage;
import dev.blobmark.reencode.terms.Pace;
import dev.blobmark.reencode.terms.ReencodeOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Half of the rows have a value, all values are encoded to a quarter. */
class ForecastTest {

    private static final Sampled SAMPLED =
            new Sampled(100, 4_000, 1_000, 4_000, 1_000, 1, 0, 0.5, OptionalLong.empty());
    private static final long ROWS = 1_000_000;

    private static Forecast with(int speed, OptionalLong binlogRate) {
        return new Forecast(
                SAMPLED,
                ROWS,
                new RowImage("FULL", false, true, 80, 8, 8, 0),
                new ReencodeOptions(
                        new Pace(
                                ToleratedLoad.DEFAULT,
                                speed,
                                binlogRate,
                                List.of(),
                                Duration.ofSeconds(1),
                                false,
                                Optional.empty(),
                                Duration.ofMillis(5),
                                Optional.empty(),
                                Optional.empty()),
                        false,
                        true,
                        1,
                        false));
    }

    @Test
    void bytesAreThoseOfRowsWithAValue() {
        Forecast forecast = with(100, OptionalLong.empty());
        assertThat(forecast.bytes()).isEqualTo(2e9);
        assertThat(forecast.bytesAfter()).isEqualTo(0.5e9);
    }

    /** 2.24 GB of pages are 2 GB of rows; nothing but the values is in them. */
    @Test
    void theTableShrinksByWhatValuesTakeOfItsPages() {
        Forecast forecast = with(100, OptionalLong.empty());
        assertThat(forecast.tableBytesAfter(2_240_000_000L)).isCloseTo(560e6, within(1.0));
        assertThat(forecast.tableBytesAfter(4_480_000_000L)).isCloseTo(560e6 + 2_240e6, within(1.0));
    }

    @Test
    void aTenthOfTheSpeedTakesTenTimesAsLong() {
        double fast = with(100, OptionalLong.empty()).seconds();
        assertThat(fast).isPositive();
        assertThat(with(10, OptionalLong.empty()).seconds()).isCloseTo(10 * fast, within(1e-6));
    }

    /** Half a million rows with both values, 5,000 bytes each and little more: 2.5 GB at 1 KB in a second. */
    @Test
    void aLimitOfTheBinaryLogIsKept() {
        assertThat(with(100, OptionalLong.of(1_000)).seconds()).isBetween(2.5e6, 2.6e6);
        assertThat(with(100, OptionalLong.empty()).seconds()).isLessThan(1_000);
    }
}
