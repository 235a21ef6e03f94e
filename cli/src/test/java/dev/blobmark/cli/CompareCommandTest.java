package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.analysis.Comparison;
import dev.blobmark.analysis.Limit;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Unit;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code compare} and {@code merge} say of a command line; that of real runs is in {@link CompareIT}. */
class CompareCommandTest {

    @TempDir
    private Path directory;

    @Test
    void helpNamesEveryOptionAndBothForms() {
        Invocation help = Invocation.of("compare", "--help");

        assertThat(help.out())
                .startsWith("""
                        Usage: blobmark compare [OPTION]... BASE NEW
                               blobmark compare [OPTION]... BASE... --with NEW...
                        """)
                .contains("'METRIC < -X%'", "--with runs/mine-* --fail-if 'throughput < -5%'\n");
        for (String option :
                List.of("--with=NEW...", "--absolute", "--metric=METRIC", "--fail-if=LIMIT", "--format=FORMAT")) {
            assertThat(help.out().lines()).anyMatch(line -> line.startsWith("      " + option));
        }
        assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(help.exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a                           | there is nothing to compare a to; name a second run",
                "a b c                       | 3 runs, and no word which are the base; write BASE… --with NEW…",
                "a b --format xml            | --format: 'xml' is none of table, markdown, json",
                "a b --metric thruoghput     | --metric: unknown metric 'thruoghput'; did you mean 'throughput'?",
                "a b --fail-if throughput<5% | --fail-if 'throughput<5%': a fall has a minus; write"
                        + " 'throughput < -5%'",
                "a b --fail-if p99>-5%       | --fail-if 'p99>-5%': a rise has a plus; write 'p99 > +5%'",
                "a b --fail-if 5%            | --fail-if '5%': this is not a limit; write 'METRIC < -X%' or"
                        + " 'METRIC > +X%', such as 'throughput < -5%'",
                "a b --require-decided       | --require-decided: there is no limit to decide; add --fail-if, such as"
                        + " 'throughput < -5%'",
                "a b --abslute               | unknown option '--abslute'; did you mean '--absolute'?"
            })
    void aMistakeIsNamedWithItsMend(String words, String problem) {
        Invocation compare = Invocation.of(("compare " + words).split(" "));

        assertThat(compare.err().lines()).containsExactly("blobmark: " + problem, "See 'blobmark compare --help'.");
        assertThat(compare.exitCode()).isEqualTo(2);
        assertThat(compare.out()).isEmpty();
    }

    @Test
    void aLimitThatIsNotDecidedHasACodeOfItsOwn() {
        Limit limit = Limit.parse("throughput < -5%");
        Comparison.Compared wide = new Comparison.Compared(
                Metric.THROUGHPUT,
                "trial",
                "zstd",
                Levels.of(Map.of()),
                "read",
                1,
                1,
                new Effect(1, new Interval.Range(0.5, 2, Confidence.USUAL, Unit.FORK, 5)),
                Unit.FORK,
                false);
        Comparison comparison = new Comparison(
                List.of(),
                List.of(),
                Optional.empty(),
                List.of(Metric.THROUGHPUT),
                Confidence.USUAL,
                List.of(wide),
                List.of(),
                List.of(),
                List.of(new Comparison.LimitResult(limit, List.of(), List.of(wide), List.of())));
        StringWriter err = new StringWriter();

        assertThat(CompareCommand.exitCode(comparison, false, new PrintWriter(err, true)))
                .isEqualTo(ExitCode.DONE);
        assertThat(err.toString()).isEmpty();
        assertThat(CompareCommand.exitCode(comparison, true, new PrintWriter(err, true)))
                .isEqualTo(ExitCode.UNDECIDED);
        assertThat(err.toString())
                .isEqualTo(
                        "blobmark: --require-decided: 'throughput < -5%' is inconclusive for 1 of 1; these runs would"
                                + " have established a regression of 50.0 % or more in each trial; run more forks, or more"
                                + " runs\n");
    }

    @Test
    void aSingleRunIsNotMerged() {
        Invocation merge = Invocation.of("merge", "a");

        assertThat(merge.err().lines())
                .containsExactly(
                        "blobmark: there is nothing to merge a with; name a second run",
                        "See 'blobmark merge --help'.");
        assertThat(merge.exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"compare", "merge"})
    void whatIsNoRunIsAnError(String command) {
        Path missing = directory.resolve("missing");
        Invocation invocation = Invocation.of(command, missing.toString(), directory.toString());

        assertThat(invocation.err())
                .startsWith("blobmark: " + missing + ": there is no such directory; name a run directory");
        assertThat(invocation.exitCode()).isEqualTo(1);
        assertThat(invocation.out()).isEmpty();
    }
}
