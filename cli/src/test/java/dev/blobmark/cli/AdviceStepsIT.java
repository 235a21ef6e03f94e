package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.advice.Advice.Threshold;
import dev.blobmark.advice.Candidate;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.probe.CodecTrials;
import dev.blobmark.lab.probe.StratifiedSample;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.report.AdviceSteps;
import dev.blobmark.value.EncodingPolicy;
import dev.blobmark.value.Legacy;
import dev.blobmark.value.ValueFormat;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each advice is followed on a real server, as it is printed, and what was stored is read back. */
class AdviceStepsIT {

    private static final Pattern CODEC = Pattern.compile("Codecs\\.parse\\(\"([^\"]+)\"\\)");

    private static final Pattern FORMAT = Pattern.compile("\\.reads\\(Legacy\\.RAW\\)\\.writes\\(\"([^\"]+)\"\\)"
            + "(?:\\.policy\\(new EncodingPolicy\\((\\d+), ([0-9.]+), (true|false)\\)\\))?\\.build\\(\\);");

    private static final String DOCUMENT = "{\"id\": 17, \"items\": [" + "\"cup\", ".repeat(500) + "\"saucer\"]}";

    @Test
    void eachIsFollowedAndReadsBackWhatWasStored() throws Exception {
        List<CodecFigures> figures = CodecTrials.measure(
                List.of("none", "lz4", "zstd:-1", "lz4hc:9", "brotli:5", "deflate:6", "snappy", "gzip:6", "mysql:6"),
                StratifiedSample.of(Datasets.parse("random:4").values(2_000, 1), 50_000, 1),
                codec -> {});
        try (OwnServer server = OwnServer.start(BlobmarkProcess.CACHE, ServerOptions.of(64 << 20));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            ServerIdentity identity = ServerIdentity.read(connection);
            Sql.execute(connection, "CREATE DATABASE shop");
            for (Candidate candidate : Candidate.of(figures)) {
                follow(connection, identity, candidate, Optional.empty());
                if (candidate.isFramed()) {
                    follow(connection, identity, candidate, Optional.of(new Threshold(DOCUMENT.length() / 2, 0.5)));
                    follow(connection, identity, candidate, Optional.of(new Threshold(DOCUMENT.length() + 1, 0.5)));
                }
            }
        }
    }

    private static void follow(
            Connection connection, ServerIdentity identity, Candidate candidate, Optional<Threshold> threshold)
            throws SQLException {
        Sql.execute(connection, "CREATE TABLE shop.`order` (id INT PRIMARY KEY, `pay.load` JSON NOT NULL)");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO shop.`order` VALUES (1, ?)")) {
            insert.setString(1, DOCUMENT);
            insert.execute();
        }
        List<String> steps = AdviceSteps.of(
                candidate,
                identity.product() + " " + identity.version(),
                "table:shop.order.`pay.load`",
                Optional.of("json"),
                threshold);
        boolean isBelow =
                threshold.filter(from -> from.bytes() > DOCUMENT.length()).isPresent();
        assertThat(followed(connection, steps, isBelow)).as(candidate.id()).isEqualTo(DOCUMENT);
        Sql.execute(connection, "DROP TABLE shop.`order`");
    }

    /** Runs the statements, encodes what is stored if the steps name a codec, and reads it back by the last step. */
    private static String followed(Connection connection, List<String> steps, boolean isBelow) throws SQLException {
        String select = "SELECT `pay.load` FROM shop.`order`";
        for (String step : steps) {
            Matcher codec = CODEC.matcher(step);
            Matcher format = FORMAT.matcher(step);
            if (step.startsWith("SELECT ")) {
                select = step;
            } else if (step.matches("[A-Z]{5,} .*;")) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(step);
                }
            } else if (format.matches()) {
                assertThat(steps.subList(steps.indexOf(step) + 1, steps.size()))
                        .extracting(line -> line.replaceFirst("  //.*", ""))
                        .containsExactly(
                                "byte[] value = format.decode(rows.getBytes(1));",
                                "format.startWriting();",
                                "insert.setBytes(1, format.encode(value));");
                return written(connection, format(format), isBelow);
            } else if (codec.find()) {
                encode(connection, Codecs.parse(codec.group(1)));
                return new String(
                        decoded(read(connection, select), Codecs.parse(codec.group(1))), StandardCharsets.UTF_8);
            }
        }
        return new String(read(connection, select), StandardCharsets.UTF_8);
    }

    private static ValueFormat format(Matcher step) {
        ValueFormat.Builder builder = ValueFormat.builder().reads(Legacy.RAW).writes(step.group(1));
        return (step.group(2) == null
                        ? builder
                        : builder.policy(new EncodingPolicy(
                                Integer.parseInt(step.group(2)),
                                Double.parseDouble(step.group(3)),
                                Boolean.parseBoolean(step.group(4)))))
                .build();
    }

    /** Reads the value before it is encoded, and after. */
    private static String written(Connection connection, ValueFormat format, boolean isBelow) throws SQLException {
        String select = "SELECT `pay.load` FROM shop.`order`";
        byte[] value = format.decode(read(connection, select));
        assertThat(new String(value, StandardCharsets.UTF_8)).isEqualTo(DOCUMENT);
        format.startWriting();
        store(connection, format.encode(value));
        byte[] stored = read(connection, select);
        if (isBelow) {
            assertThat(stored).isEqualTo(value);
        } else {
            assertThat(stored.length).isLessThan(value.length / 2);
        }
        return new String(format.decode(stored), StandardCharsets.UTF_8);
    }

    private static void encode(Connection connection, Codec codec) throws SQLException {
        byte[] value = read(connection, "SELECT `pay.load` FROM shop.`order`");
        byte[] buffer = new byte[codec.maxEncodedLength(value.length)];
        int n = codec.encode(value, 0, value.length, buffer, 0);
        store(connection, Arrays.copyOf(buffer, n));
    }

    private static void store(Connection connection, byte[] stored) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE shop.`order` SET `pay.load` = ?")) {
            update.setBytes(1, stored);
            assertThat(update.executeUpdate()).isOne();
        }
    }

    private static byte[] decoded(byte[] stored, Codec codec) {
        byte[] value = new byte[DOCUMENT.length()];
        assertThat(stored.length).isLessThan(value.length);
        int n = codec.decode(stored, 0, stored.length, value, 0, value.length);
        assertThat(n).isEqualTo(value.length);
        return value;
    }

    private static byte[] read(Connection connection, String select) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(select)) {
            assertThat(row.next()).isTrue();
            return row.getBytes(1);
        }
    }
}
