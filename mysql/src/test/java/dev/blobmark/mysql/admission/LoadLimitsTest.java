package dev.blobmark.mysql.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadLimitsTest {

    @Test
    void limitsAreWrittenAsTheirUsersKnowThem() {
        assertThat(LoadLimits.parse("Threads_running=25, Threads_connected:500").largest())
                .isEqualTo(Map.of("threads_running", 25L, "threads_connected", 500L));
        assertThat(LoadLimits.parse("")).isEqualTo(LoadLimits.NONE);
        assertThat(LoadLimits.USUAL).hasToString("threads_running=25");
    }

    @Test
    void anExcessIsMoreThanTheLimit() {
        LoadLimits limits = LoadLimits.parse("Threads_running=25,Threads_connected=3");

        assertThat(limits.excess(Map.of("threads_running", 25L, "threads_connected", 3L)))
                .isEmpty();
        assertThat(limits.excess(Map.of("threads_running", 26L, "threads_connected", 4L)))
                .hasValue("threads_connected = 4 > 3, threads_running = 26 > 25");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Threads_running", "Threads_running=", "=25", "Threads_running=-1", "a=1,", "a b=1", "x';=1"})
    void whatIsNoLimitIsRefused(String text) {
        assertThatThrownBy(() -> LoadLimits.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a limit of the load: write");
    }

    @Test
    void twoLimitsOfOneVariableAreRefused() {
        assertThatThrownBy(() -> LoadLimits.parse("Threads_running=1,threads_running=2"))
                .hasMessage("threads_running is limited twice; remove one limit");
    }

    @ParameterizedTest
    @CsvSource({"17, 17", "2GB, 2147483648", "500 MB, 524288000", "1TB, 1099511627776", "3B, 3"})
    void amountsAreReadInTheUnitsOfSizes(String text, long bytes) {
        assertThat(ByteAmount.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GB", "2 gigabytes", "-1", "1.5GB"})
    void whatIsNoAmountIsRefused(String text) {
        assertThatThrownBy(() -> ByteAmount.parse(text)).hasMessageContaining("is not an amount; write");
    }
}
