package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.analysis.Grade;
import dev.blobmark.analysis.GradedClaim;
import dev.blobmark.analysis.GradedClaim.ClaimComparison;
import dev.blobmark.lab.measurement.Metric;
import dev.blobmark.lab.study.Claim;
import dev.blobmark.lab.study.Claim.Bounds;
import dev.blobmark.lab.study.Claim.Holds;
import dev.blobmark.lab.study.Levels;
import dev.blobmark.lab.study.Selection;
import dev.blobmark.report.document.Document;
import dev.blobmark.report.document.MarkdownWriter;
import dev.blobmark.report.document.Style;
import dev.blobmark.report.document.TextWriter;
import dev.blobmark.stats.Confidence;
import dev.blobmark.stats.Difference;
import dev.blobmark.stats.Effect;
import dev.blobmark.stats.Interval;
import dev.blobmark.stats.Unit;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClaimTablesTest {

    private static final List<GradedClaim> CLAIMS = List.of(
            new GradedClaim(
                    claim("lz4-beats-plain", "lz4 is read back faster.", Bounds.ABOVE_ONE, Holds.EACH),
                    Grade.DIRECTION_ONLY,
                    List.of(
                            comparison("4KB", 0.95, Grade.REVERSED, 3),
                            comparison("1MB", 1.5, Grade.REPRODUCED, 0),
                            comparison("2MB", 1.25, Grade.REPRODUCED, 0)),
                    Optional.empty(),
                    Optional.empty(),
                    1),
            new GradedClaim(
                    claim("a-hundredfold", "a | b", new Bounds(100, Double.POSITIVE_INFINITY), Holds.EACH),
                    Grade.REPRODUCED,
                    List.of(comparison("1MB", 1155.2, Grade.REPRODUCED, 0)),
                    Optional.empty(),
                    Optional.empty(),
                    0),
            new GradedClaim(
                    claim("on-average", "On average, too.", new Bounds(1, 1.5), Holds.ON_AVERAGE),
                    Grade.INCONCLUSIVE,
                    List.of(new ClaimComparison(
                            "lz4/plain",
                            "lz4/plain",
                            List.of("size 2MB ÷ 1MB"),
                            Levels.of(Map.of("dataset", "sites")),
                            new Effect(1.2, new Interval.None("1 round measured; an interval needs 2 or more")),
                            Optional.empty(),
                            false,
                            4,
                            0,
                            Grade.INCONCLUSIVE)),
                    Optional.of(new Effect(1.2, new Interval.None("1 round measured; an interval needs 2 or more"))),
                    Optional.empty(),
                    0),
            new GradedClaim(
                    claim("elsewhere", "Nobody has looked.", Bounds.ABOVE_ONE, Holds.MOSTLY),
                    Grade.NOT_TESTED,
                    List.of(),
                    Optional.empty(),
                    Optional.of(new GradedClaim.MissingMeasurements(false, List.of("size 4287156"), Optional.empty())),
                    0));

    private static final int SAMPLES = 20;

    @Test
    void textHasTheGradeTheClaimAndItsEvidence() {
        String text = TextWriter.write(document(CLAIMS), Style.PLAIN);

        assertThat(text).isEqualTo("""
                        Claims: 1 reproduced, 1 in direction but not in size, 1 inconclusive, 1 not tested here
                        in direction but not in size  lz4-beats-plain
                          lz4 is read back faster.
                          2 of 3 hold; hardest: lz4 ÷ plain at 4 KB: 0.95 (0.90 to 1.00 over 5 forks); 1 more not measured;
                          not steady in 3 of 60 samples
                        reproduced                    a-hundredfold
                          a | b
                          lz4 ÷ plain: 1155 (1097 to 1213 over 5 forks); claimed: at least 100
                        inconclusive                  on-average
                          On average, too.
                          on average 1.20 (1 round measured; an interval needs 2 or more); lz4/plain, size 2MB ÷ 1MB: 1.20
                          (1 round measured; an interval needs 2 or more); claimed: 1.00 to 1.50
                        Not tested, as what they name was not measured: elsewhere.
                        Ratios are of the left side to the right, with the intervals that cover all comparisons of a claim
                        together with 95 %. A claim holds where the whole interval lies as claimed. Sides that ran in
                        different blocks are not paired.
                        """);
        assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
    }

    @Test
    void markdownHasEveryClaimWithItsSource() {
        assertThat(MarkdownWriter.write(document(CLAIMS)))
                .contains(
                        "| grade | claim | what it says | source | evidence |\n",
                        "| reproduced | a-hundredfold | a \\| b | somebody | lz4 ÷ plain: 1155 (",
                        "| not tested here | elsewhere | Nobody has looked. | somebody | not measured: size 4287156 |\n");
    }

    @Test
    void csvHasARowForEachComparisonAndEachMean() throws IOException {
        StringBuilder text = new StringBuilder();
        ClaimTables.csv(CLAIMS, text);

        try (CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(text.toString())) {
            List<NamedCsvRecord> rows = csv.stream().toList();
            assertThat(rows)
                    .extracting(row -> row.getField("claim") + " " + row.getField("row"))
                    .containsExactly(
                            "lz4-beats-plain comparison",
                            "lz4-beats-plain comparison",
                            "lz4-beats-plain comparison",
                            "a-hundredfold comparison",
                            "on-average average",
                            "on-average comparison",
                            "elsewhere none");
            NamedCsvRecord first = rows.get(0);
            assertThat(first.getField("grade")).isEqualTo("in direction but not in size");
            assertThat(first.getField("row_grade")).isEqualTo("reversed");
            assertThat(first.getField("ratio_high")).isEqualTo("0.9974999999999999");
            assertThat(first.getField("condition")).isEqualTo("size=4KB");
            assertThat(first.getField("claimed_high")).isEmpty();
            assertThat(rows.get(4).getField("reason")).startsWith("1 round measured");
            assertThat(rows.get(6).getField("ratio")).isEmpty();
        }
    }

    @Test
    void anUntestedClaimSaysWhatItLacksAndWhy() {
        GradedClaim lacking = new GradedClaim(
                claim("lacking", "Nobody has looked.", Bounds.ABOVE_ONE, Holds.MOSTLY),
                Grade.NOT_TESTED,
                List.of(),
                Optional.empty(),
                Optional.of(new GradedClaim.MissingMeasurements(
                        true, List.of("size 1MB", "size 64KB"), Optional.of("lz4: the server went away"))),
                0);

        assertThat(ClaimTables.reason(lacking))
                .isEqualTo("measured without a counterpart: size 1MB and size 64KB (lz4: the server went away)");
    }

    /** A study may come from somebody else, and a spreadsheet carries out what begins like a formula. */
    @Test
    void csvHasNoFormula() throws IOException {
        GradedClaim foreign = new GradedClaim(
                claim("foreign", "=HYPERLINK(1)", Bounds.ABOVE_ONE, Holds.MOSTLY),
                Grade.INCONCLUSIVE,
                List.of(),
                Optional.of(new Effect(1, new Interval.None("@reason"))),
                Optional.empty(),
                0);
        StringBuilder text = new StringBuilder();
        ClaimTables.csv(List.of(foreign), text);

        assertThat(text.toString()).contains(",'=HYPERLINK(1),", ",'@reason");
    }

    @Test
    void theEvidenceOfADifferenceIsInTime() {
        Claim claim = claim("pool", "A pool costs 3 to 9 µs.", Bounds.ABOVE_ONE, Holds.EACH);
        Claim apart = new Claim(
                claim.id(),
                claim.says(),
                claim.source(),
                Metric.P50,
                claim.operation(),
                claim.effect(),
                new Claim.Apart(
                        claim.relation().sides().get(0).left(),
                        claim.relation().sides().get(0).right(),
                        3_000,
                        9_000),
                claim.where(),
                claim.given(),
                claim.holds());
        GradedClaim graded = new GradedClaim(
                apart,
                Grade.INCONCLUSIVE,
                List.of(comparison("4KB", 1.05, Grade.INCONCLUSIVE, 0)),
                Optional.empty(),
                Optional.empty(),
                0);

        assertThat(ClaimTables.evidence(graded, new LevelWords(false)))
                .contains("lz4 ÷ plain: 5.00 µs (−0.100 to 10.1 over 5 forks); claimed: 3.00 to 9.00 µs more");
    }

    @Test
    void theEvidenceOfWhatHoldsSometimesIsItsClearestComparison() {
        GradedClaim graded = new GradedClaim(
                claim("sometimes", "It is sometimes faster.", Bounds.ABOVE_ONE, Holds.SOMETIMES),
                Grade.REPRODUCED,
                List.of(comparison("4KB", 0.8, Grade.REVERSED, 0), comparison("64KB", 1.2, Grade.REPRODUCED, 0)),
                Optional.empty(),
                Optional.empty(),
                0);

        assertThat(ClaimTables.evidence(graded, new LevelWords(false)))
                .startsWith("1 of 2 hold; clearest: lz4 ÷ plain at 64 KB: 1.20 (");
    }

    @Test
    void aStudyWithoutClaimsHasNoSection() throws IOException {
        StringBuilder out = new StringBuilder();
        ClaimTables.csv(List.of(), out);

        assertThat(out).isEmpty();
        assertThat(ClaimTables.section(List.of(), new LevelWords(false))).isEmpty();
    }

    private static Document document(List<GradedClaim> claims) {
        return new Document(
                List.of(ClaimTables.section(claims, new LevelWords(false)).orElseThrow()));
    }

    private static Claim claim(String id, String says, Bounds bounds, Holds holds) {
        return new Claim(
                id,
                says,
                "somebody",
                Metric.THROUGHPUT,
                Optional.empty(),
                Optional.empty(),
                new Claim.Greater(
                        Selection.of(Map.of("method", List.of("lz4"))),
                        Selection.of(Map.of("method", List.of("plain"))),
                        bounds),
                Selection.ALL,
                Optional.empty(),
                holds);
    }

    /** With an interval of ± 5 % over five forks. */
    private static ClaimComparison comparison(String size, double ratio, Grade grade, int unsteady) {
        Interval interval = new Interval.Range(0.95 * ratio, 1.05 * ratio, Confidence.USUAL, Unit.FORK, 5);
        return new ClaimComparison(
                "lz4",
                "plain",
                List.of(),
                Levels.of(Map.of("size", size)),
                new Effect(ratio, interval),
                Optional.of(new Difference(5_000, -100, 10_100, Unit.FORK, 5)),
                true,
                SAMPLES,
                unsteady,
                grade);
    }

    /** Few forks, or many samples that were not steady; not figures that do not vary, such as bytes. */
    @Test
    void aGradeThatRestsOnLittleIsWeak() {
        assertThat(weak(5, 5, 1.05)).isFalse();
        assertThat(weak(4, 0, 1.05)).isTrue();
        assertThat(weak(5, 6, 1.05)).isTrue();
        assertThat(weak(4, 6, 0.95)).isFalse();
        assertThat(TextWriter.write(document(List.of(claim(4, 0, 1.05))), Style.PLAIN))
                .contains("reproduced, weak  lz4-beats-plain", "Weak: fewer than 5");
    }

    private static boolean weak(int forks, int unsteady, double high) {
        return claim(forks, unsteady, high).isWeak();
    }

    private static GradedClaim claim(int forks, int unsteady, double high) {
        Interval interval = new Interval.Range(0.95, high, Confidence.USUAL, Unit.FORK, forks);
        ClaimComparison comparison = new ClaimComparison(
                "lz4",
                "plain",
                List.of(),
                Levels.of(Map.of()),
                new Effect(1, interval),
                Optional.empty(),
                true,
                SAMPLES,
                unsteady,
                Grade.REPRODUCED);
        GradedClaim claim = CLAIMS.get(0);
        return new GradedClaim(
                claim.claim(), Grade.REPRODUCED, List.of(comparison), Optional.empty(), Optional.empty(), 0);
    }
}
