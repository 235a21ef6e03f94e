package dev.blobmark.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.measurement.TimeSpent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BottleneckTest {

    @ParameterizedTest
    @CsvSource({
        // waiting, transfer, client, decode, pool, unexplained, link
        "60, 10, 20,  5,  0, 5,  0, server 70 %",
        "30, 40, 10, 10,  5, 5, 60, link 60 %",
        "30, 40, 10, 10,  5, 5, 30, server 40 %",
        "10, 10, 60, 10,  5, 5,  0, client 60 %",
        "10, 10, 10, 60,  5, 5,  0, decode 60 %",
        "10, 10, 10, 10, 55, 5,  0, pool 55 %"
    })
    void isWhatMostOfTheTimeGoesTo(
            double waiting,
            double transfer,
            double client,
            double decode,
            double pool,
            double unexplained,
            double link,
            String expected) {
        assertThat(Bottleneck.of(new TimeSpent(waiting, transfer, client, decode, pool, unexplained, link)))
                .hasToString(expected);
    }
}
