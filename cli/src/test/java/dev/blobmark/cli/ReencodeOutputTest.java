package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.reencode.Verified;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReencodeOutputTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 | 0   | No rows were changed: there is nothing to compare.",
                "4 | 4 | 200 | All 4 ranges (200 rows) hold the same values as before.",
                "4 | 3 | 200 | 3 of 4 ranges (200 rows) hold the same values as before. In 1, values were changed, added or"
                        + " deleted since.",
            })
    void whatWasComparedIsSaid(long ranges, long same, long rows, String words) {
        assertThat(ReencodeOutput.inWords(new Verified(ranges, same, rows, 0, "", List.of())))
                .isEqualTo(words);
    }
}
