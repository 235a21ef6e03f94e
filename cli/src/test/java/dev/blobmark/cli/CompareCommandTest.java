package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
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
                "a b --abslute               | unknown option '--abslute'; did you mean '--absolute'?"
            })
    void aMistakeIsNamedWithItsMend(String words, String problem) {
        Invocation compare = Invocation.of(("compare " + words).split(" "));

        assertThat(compare.err().lines()).containsExactly("blobmark: " + problem, "See 'blobmark compare --help'.");
        assertThat(compare.exitCode()).isEqualTo(2);
        assertThat(compare.out()).isEmpty();
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
