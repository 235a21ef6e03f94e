package dev.blobmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Sample;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Seals what a report looks like, on a run with methods of every outcome. */
class ReportFormatTest {

    @TempDir
    private static Path directory;

    private static Report report;

    @BeforeAll
    static void run() throws IOException {
        report = Report.of(GoldenRun.write(directory));
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void isAsInTheGoldenFile(Format format) throws IOException {
        assertThat(written(report, format, Style.PLAIN))
                .isEqualTo(Files.readString(resource("report." + format.word())));
    }

    @Test
    void aTerminalOf100ColumnsIsWideEnough() throws IOException {
        assertThat(written(report, Format.TABLE, Style.PLAIN).lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
    }

    @Test
    void coloursChangeNothingButColours() throws IOException {
        String coloured = written(report, Format.TABLE, Style.ANSI);
        assertThat(coloured).contains("\u001b[1m", "\u001b[31m", "\u001b[33m");
        assertThat(coloured.replaceAll("\u001b\\[\\d+m", "").replaceAll("(?m) +$", ""))
                .isEqualTo(written(report, Format.TABLE, Style.PLAIN));
    }

    @Test
    void everyFormSaysWhereTheFiguresComeFrom() throws IOException {
        for (Format format : List.of(Format.TABLE, Format.MARKDOWN)) {
            assertThat(written(report, format, Style.PLAIN))
                    .contains(
                            "MariaDB 11.4.5, embedded: a stand-in, not MySQL",
                            "loopback",
                            "Xeon",
                            "10 rounds, 5 forks");
        }
    }

    @Test
    void csvHasOneRowForEachSampleAndOperation() throws IOException {
        try (CsvReader<NamedCsvRecord> csv =
                CsvReader.builder().ofNamedCsvRecord(written(report, Format.CSV, Style.PLAIN))) {
            List<NamedCsvRecord> rows = csv.stream().toList();
            int expected = report.samples().stream()
                    .mapToInt(s -> Math.max(1, s.operations().size()))
                    .sum();
            assertThat(rows).hasSize(expected);
            NamedCsvRecord failed = rows.stream()
                    .filter(row -> row.getField("outcome").equals("failed"))
                    .findFirst()
                    .orElseThrow();
            assertThat(failed.getField("reason")).contains("\"InnoDB: ", "\n");
            assertThat(failed.getField("factor.layout")).isEqualTo("compressed");
            assertThat(failed.getField("server_version")).isEqualTo("11.4.5-MariaDB");
            assertThat(failed.getField("throughput_bytes_per_s")).isEmpty();
            NamedCsvRecord decode = rows.stream()
                    .filter(row -> row.getField("operation").equals("decode"))
                    .findFirst()
                    .orElseThrow();
            assertThat(decode.getField("server_product")).isEmpty();
        }
    }

    @Test
    void aRunThatIsNotWholeSaysSo() throws IOException {
        Manifest killed = report.manifest().resumed();
        List<Sample> some = report.samples().subList(0, 7);
        assertThat(written(Report.of(killed, some), Format.TABLE, Style.PLAIN))
                .contains(
                        "7 of 120 planned, 1 round, 1 fork, windows of 200 ms; the run is still going or was",
                        "killed");
        for (Format format : Format.values()) {
            assertThat(written(Report.of(killed, List.of()), format, Style.PLAIN))
                    .isNotNull();
        }
        assertThat(written(Report.of(killed, List.of()), Format.TABLE, Style.PLAIN))
                .contains("No trial has been measured yet.");
    }

    @Test
    void anAddressedServerIsNamedByItsOwnWords() throws IOException {
        Manifest mysql = report.manifest()
                .with(
                        "mysql",
                        new Manifest.MeasuredServer(
                                "address", "MySQL", "9.7.4", "MySQL Community Server - GPL", new TreeMap<>()));
        assertThat(written(Report.of(mysql, report.samples()), Format.TABLE, Style.PLAIN))
                .contains("MySQL 9.7.4 (MySQL Community Server - GPL)")
                .doesNotContain("stand-in");
    }

    private static String written(Report report, Format format, Style style) throws IOException {
        StringBuilder text = new StringBuilder();
        format.write(report, style, text);
        return text.toString();
    }

    static Path resource(String name) {
        try {
            return Path.of(ReportFormatTest.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
