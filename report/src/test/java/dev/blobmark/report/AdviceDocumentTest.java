package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.advice.AdviceFixture;
import dev.blobmark.advice.Goal;
import dev.blobmark.advice.WhatIf;
import dev.blobmark.lab.link.Link;
import dev.blobmark.report.document.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdviceDocumentTest {

    private static final Path GOLDEN = Path.of("src/test/resources/dev/blobmark/report");

    private static void assertGolden(String name, String text) throws IOException {
        Path file = GOLDEN.resolve(name);
        if (Boolean.getBoolean("blobmark.golden")) { // -Dblobmark.golden=true writes the files again, for review
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file));
    }

    private static <T> String written(Format<T> format, T what, int columns) throws IOException {
        StringBuilder out = new StringBuilder();
        format.write(what, new Style(columns, false, false), out);
        return out.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 80, 120})
    void itFitsTheTerminal(int columns) throws IOException {
        String text =
                written(Formats.OF_ADVICE.find("table").orElseThrow(), AdviceFixture.advice(Goal.BALANCED), columns);
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
        assertGolden("advice.table." + columns, text);
    }

    @ParameterizedTest
    @EnumSource
    void eachGoalHasASentence(Goal goal) throws IOException {
        assertGolden(
                "advice.markdown." + goal.word(),
                written(Formats.OF_ADVICE.find("markdown").orElseThrow(), AdviceFixture.advice(goal), 100));
    }

    @Test
    void hostsAreNamedWithTheThreads() throws IOException {
        assertThat(written(Formats.OF_ADVICE.find("table").orElseThrow(), AdviceFixture.adviceOfHosts(), 200))
                .contains(" · 4 threads on 2 hosts · ");
        WhatIf more = WhatIf.of(AdviceFixture.adviceOfHosts(), Link.parse("10gbit"), 8, OptionalInt.empty());
        assertThat(written(Formats.OF_WHAT_IF.find("table").orElseThrow(), more, 80))
                .contains("over 10gbit, 8 threads on 2 hosts, by forecast");
    }

    @Test
    void valuesBelowAThresholdStayAsTheyAre() throws IOException {
        assertThat(written(Formats.OF_ADVICE.find("table").orElseThrow(), AdviceFixture.adviceForLargeValues(), 200))
                .containsPattern("(?m)^encode +values from 16 KB on; 91 % of the values are shorter$")
                .contains("; for values of all sizes above\n")
                .contains(
                        "\n  .reads(Legacy.RAW).writes(\"zstd:3\").policy(new EncodingPolicy(16384, 0.125, true)).build();");
        assertThat(Formats.OF_ADVICE.find("json"))
                .isPresent()
                .get()
                .satisfies(json -> assertThat(written(json, AdviceFixture.adviceForLargeValues(), 80))
                        .containsPattern("\"threshold\" : \\{\\s*\"bytes\" : 16384,\\s*\"shorter\" : 0\\.909"));
    }

    @Test
    void whatIfNamesWhatWouldChange() throws IOException {
        assertGolden(
                "whatif.table.80",
                written(
                        Formats.OF_WHAT_IF.find("table").orElseThrow(),
                        WhatIf.of(AdviceFixture.advice(Goal.BALANCED), Link.parse("10gbit"), 4, OptionalInt.of(600)),
                        80));
    }
}
