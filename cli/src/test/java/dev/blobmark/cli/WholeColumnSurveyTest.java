package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.analysis.survey.WholeColumnFinding;
import dev.blobmark.lab.hosts.Cluster;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.lab.probe.CodecFigures;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WholeColumnSurveyTest {

    @ParameterizedTest
    @CsvSource({
        "s3a://lake/orders.parquet#payload, s3a://lake/orders.parquet, parquet, payload",
        "/lake/orders.parquet/#payload.body, /lake/orders.parquet/, parquet, payload.body",
        "orders.jsonl.gz#doc, orders.jsonl.gz, json, doc",
        "orders.AVRO#doc, orders.AVRO, avro, doc",
        "delta:/lake/orders#doc, /lake/orders, delta, doc"
    })
    void aPathTellsTheFormat(String text, String path, String format, String name) {
        assertThat(WholeColumnSurvey.column(text)).isEqualTo(new Cluster.FileColumn(path, format, name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders.parquet", "#payload", "orders.parquet#", "orders#payload", "orders.csv#payload"})
    void whatNamesNoColumnIsRefused(String text) {
        assertThatThrownBy(() -> WholeColumnSurvey.column(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] text(int number, int length) {
        return ("{\"id\": " + number + ", \"state\": \"paid\"} ")
                .repeat(length / 24 + 1)
                .substring(0, length)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** 90 of 100 rows have the same value, which is random bytes: it decides the ratio. */
    @Test
    void aValueCountsAsOftenAsRowsHaveIt() {
        byte[] random = new byte[800];
        new Random(1).nextBytes(random);
        List<Cluster.Scanned.DistinctValue> sample = new ArrayList<>();
        sample.add(new Cluster.Scanned.DistinctValue(random, 90));
        for (int i = 0; i < 40; i++) {
            sample.add(new Cluster.Scanned.DistinctValue(text(i, 800), i < 10 ? 1 : 0));
        }
        List<Cluster.Scanned.DistinctValue> present =
                sample.stream().filter(value -> value.rows() > 0).toList();
        WholeColumnFinding finding = WholeColumnSurvey.of(
                "a.parquet#b",
                new Cluster.Scanned(
                        3,
                        0,
                        List.of(new Cluster.Scanned.ValuesOfSize(SizeClass.TO_1KB, 100, 80_000, 800, 11, present))),
                step -> {});

        assertThat(finding.rows()).isEqualTo(100);
        assertThat(finding.bytes()).isEqualTo(80_000);
        assertThat(finding.missing()).isEqualTo(3);
        CodecFigures zstd = finding.codecs().stream()
                .filter(codec -> codec.codec().equals("zstd:3"))
                .findFirst()
                .orElseThrow();
        assertThat(zstd.ratio()).isBetween(1.0, 1.6);
    }

    /** Three of four rows have short values. */
    @Test
    void classesHaveTheirShareOfTheFiles(@TempDir Path directory) throws Exception {
        List<Cluster.Scanned.DistinctValue> small = new ArrayList<>();
        List<Cluster.Scanned.DistinctValue> large = new ArrayList<>();
        for (int i = 0; i < 1_200; i++) {
            small.add(new Cluster.Scanned.DistinctValue(text(i, 100), 1));
            large.add(new Cluster.Scanned.DistinctValue(text(i, 2_000), 1));
        }
        Path sample = directory.resolve("sample");
        int written = WholeColumnSurvey.write(
                new Cluster.Scanned(
                        0,
                        0,
                        List.of(
                                new Cluster.Scanned.ValuesOfSize(SizeClass.TO_1KB, 3_000, 300_000, 100, 3_000, small),
                                new Cluster.Scanned.ValuesOfSize(
                                        SizeClass.TO_4KB, 1_000, 2_000_000, 2_000, 1_000, large))),
                sample);

        assertThat(written).isBetween(990, 992);
        try (Stream<Path> files = Files.list(sample)) {
            assertThat(files.filter(file -> file.toFile().length() == 2_000).count())
                    .isBetween(247L, 249L);
        }
        assertThat(Files.getPosixFilePermissions(sample)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(Files.getPosixFilePermissions(sample.resolve("0000")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void valuesAreNotWrittenWhereOthersMayReplaceTheirDirectory(@TempDir Path directory) throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setAttribute(open, "unix:mode", 0777);
        assertThatThrownBy(() -> WholeColumnSurvey.write(new Cluster.Scanned(0, 0, List.of()), open.resolve("sample")))
                .hasMessageContaining("other users may write to " + open);
        assertThat(open).isEmptyDirectory();
    }

    @Test
    void nothingIsMeasuredOfNothing() {
        WholeColumnFinding finding =
                WholeColumnSurvey.of("a.parquet#b", new Cluster.Scanned(7, 0, List.of()), step -> {});

        assertThat(finding.rows()).isZero();
        assertThat(finding.codecs()).isEmpty();
    }

    @Test
    void valuesThatAreTooLongAreCountedAndNotMeasured() {
        List<Cluster.Scanned.DistinctValue> small = List.of(new Cluster.Scanned.DistinctValue(text(1, 100), 1));
        WholeColumnFinding finding = WholeColumnSurvey.of(
                "shop.orders.doc",
                new Cluster.Scanned(
                        0,
                        1,
                        List.of(
                                new Cluster.Scanned.ValuesOfSize(SizeClass.TO_1KB, 1, 100, 100, 1, small),
                                new Cluster.Scanned.ValuesOfSize(
                                        SizeClass.TO_16MB, 1, 3_000_000_000L, 3_000_000_000L, 0, List.of()))),
                step -> {});

        assertThat(finding.rows()).isEqualTo(2);
        assertThat(finding.longest()).isEqualTo(3_000_000_000L);
        assertThat(finding.codecs()).isNotEmpty().allMatch(codec -> codec.rawBytes() == 100);
    }
}
