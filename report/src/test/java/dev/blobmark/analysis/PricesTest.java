package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PricesTest {

    private static final double GB = 1L << 30;

    private static final String ALL = """
            currency: EUR   # behind amounts
            disk-gb-month: 0.12
            backup-gb-month: 0.03
            traffic-gb: 0.01
            vcpu-hour: 0.05
            million-io: 0.2
            """;

    @Test
    void costsAreAmountsTimesPrices() {
        Prices prices = Prices.parse(ALL, "prices.yaml");

        assertThat(prices.currency()).isEqualTo("EUR");
        assertThat(prices.diskMonth(100 * GB)).hasValue(12);
        assertThat(prices.backupMonth(100 * GB)).hasValue(3);
        assertThat(prices.storedMonth(200 * GB)).hasValue(30);
        assertThat(prices.traffic(10 * GB)).hasValue(0.1);
        assertThat(prices.processor(7_200)).hasValue(0.1);
        assertThat(prices.io(5e6)).hasValue(1);
    }

    @Test
    void aCostWithoutItsPriceIsEmpty() {
        Prices prices = Prices.parse("disk-gb-month: 2", "prices.yaml");

        assertThat(prices.storedMonth(GB)).hasValue(2);
        assertThat(prices.backupMonth(GB)).isEmpty();
        assertThat(prices.traffic(GB)).isEmpty();
        assertThat(prices.processor(1)).isEmpty();
        assertThat(prices.io(1)).isEmpty();
        assertThat(Prices.parse("currency: EUR", "prices.yaml").storedMonth(GB)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1234.4  | 1,234 EUR
            12.3    | 12.30 EUR
            0       | 0.00 EUR
            0.00421 | 0.0042 EUR
            """)
    void amountsHaveTheDigitsThatMatter(double amount, String text) {
        assertThat(Prices.parse(ALL, "prices.yaml").text(amount)).isEqualTo(text);
    }

    @Test
    void anAmountWithoutACurrencyIsANumber() {
        assertThat(Prices.parse("traffic-gb: 1", "prices.yaml").text(2.5)).isEqualTo("2.50");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            disk-gb-mont: 1     | prices.yaml:1:1: unknown key 'disk-gb-mont' in the file of prices; did you mean 'disk-gb-month'?
            disk-gb-month: -1   | prices.yaml:1:16: 'disk-gb-month': '-1' is not a price; write a number from 0 on, with a point: 0.12
            traffic-gb: '0,01'  | prices.yaml:1:13: 'traffic-gb': '0,01' is not a price; write a number from 0 on, with a point: 0.12
            traffic-gb: [1]     | prices.yaml:1:13: 'traffic-gb' is a list, not a single value
            currency: US Dollar | prices.yaml:1:11: 'currency': 'US Dollar' is not a currency; write its code or its sign, of up to 8 letters: EUR
            0.12                | prices.yaml:1:1: the file of prices is the single value '0.12', not a mapping; write it as {key: value}
            ''                  | prices.yaml:1:1: the file is empty; docs/prices.md shows what a file of prices looks like
            """)
    void whatIsWrongIsNamedWithItsPlace(String text, String message) {
        assertThatThrownBy(() -> Prices.parse(text, "prices.yaml"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void allProblemsOfAFileAreReported(@TempDir Path directory) throws Exception {
        Path file =
                Files.writeString(directory.resolve("prices.yaml"), "vcpu-hour: much\nmillion-io: 1\nmillion-io: 2");
        assertThatThrownBy(() -> Prices.read(file))
                .hasMessageContaining("prices.yaml:1:12: 'vcpu-hour': 'much' is not a price")
                .hasMessageContaining("prices.yaml:3:1: key 'million-io' occurs twice");
    }
}
