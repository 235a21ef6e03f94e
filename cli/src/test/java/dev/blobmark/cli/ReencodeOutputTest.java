package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.reencode.checkpoint.Verdict;
import dev.blobmark.reencode.terms.Outcome;
import dev.blobmark.reencode.terms.Progress;
import dev.blobmark.reencode.verify.Verified;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
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

    /** The same command after the end of a copy makes no progress, and has the copy's verdict. */
    @ParameterizedTest
    @CsvSource({"0, 0, 0", "2, 0, 10", "0, 1, 11"})
    void aCopyThatHasEndedBeforeHasItsExitCodeAgain(long broughtOver, long conflicts, int code) {
        StringWriter out = new StringWriter();
        Progress last = new Progress(
                "changing", 300, 300, 300, 0, 9_000, 1_000, 0, 0, 0, OptionalDouble.empty(), Optional.empty());
        Verdict verdict = new Verdict(300, broughtOver, conflicts, 0, false, true);
        try (ReencodeOutput output =
                new ReencodeOutput(new PrintWriter(out, true), new PrintWriter(new StringWriter()), false)) {
            assertThat(output.ended(new Outcome(true, last, Optional.of(verdict)), false)
                            .code())
                    .isEqualTo(code);
        }
        assertThat(out.toString()).startsWith("Done: 300 of 300 rows changed; ").doesNotContain("taken back before");
    }
}
