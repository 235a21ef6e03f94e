package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.advice.Candidate;
import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.client.Sql;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.lab.probe.CodecTrials;
import dev.blobmark.lab.probe.StratifiedSample;
import dev.blobmark.lab.server.ServerIdentity;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.report.AdviceSteps;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each advice is followed on a real server, as it is printed, and what was stored is read back. */
class AdviceStepsIT {

    private static final Pattern CODEC = Pattern.compile("Codecs\\.parse\\(\"([^\"]+)\"\\)");

    private static final String DOCUMENT = "{\"id\": 17, \"items\": [" + "\"cup\", ".repeat(500) + "\"saucer\"]}";

    @Test
    void eachIsFollowedAndReadsBackWhatWasStored() throws Exception {
        List<CodecFigures> figures = CodecTrials.measure(
                List.of("none", "lz4", "zstd:-1", "brotli:5", "mysql:6"),
                StratifiedSample.of(Datasets.parse("random:4").values(2_000, 1), 50_000, 1),
                codec -> {});
        try (OwnServer server = OwnServer.start(BlobmarkProcess.CACHE, ServerOptions.of(64 << 20));
                Connection connection = Driver.connectForLoading(server.endpoint(), "")) {
            ServerIdentity identity = ServerIdentity.read(connection);
            Sql.execute(connection, "CREATE DATABASE shop");
            for (Candidate candidate : Candidate.of(figures)) {
                Sql.execute(connection, "CREATE TABLE shop.`order` (id INT PRIMARY KEY, `pay.load` JSON NOT NULL)");
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO shop.`order` VALUES (1, ?)")) {
                    insert.setString(1, DOCUMENT);
                    insert.execute();
                }
                List<String> steps = AdviceSteps.of(
                        candidate,
                        identity.product() + " " + identity.version(),
                        "table:shop.order.`pay.load`",
                        Optional.of("json"));
                assertThat(followed(connection, steps)).as(candidate.id()).isEqualTo(DOCUMENT);
                Sql.execute(connection, "DROP TABLE shop.`order`");
            }
        }
    }

    /** Runs the statements, encodes what is stored if the steps name a codec, and reads it back by the last step. */
    private static String followed(Connection connection, List<String> steps) throws SQLException {
        String select = "SELECT `pay.load` FROM shop.`order`";
        for (String step : steps) {
            Matcher codec = CODEC.matcher(step);
            if (step.startsWith("SELECT ")) {
                select = step;
            } else if (step.matches("[A-Z]{5,} .*;")) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(step);
                }
            } else if (codec.find()) {
                encode(connection, Codecs.parse(codec.group(1)));
                return new String(
                        decoded(read(connection, select), Codecs.parse(codec.group(1))), StandardCharsets.UTF_8);
            }
        }
        return new String(read(connection, select), StandardCharsets.UTF_8);
    }

    private static void encode(Connection connection, Codec codec) throws SQLException {
        byte[] value = read(connection, "SELECT `pay.load` FROM shop.`order`");
        byte[] buffer = new byte[codec.maxEncodedLength(value.length)];
        int n = codec.encode(value, 0, value.length, buffer, 0);
        try (PreparedStatement update = connection.prepareStatement("UPDATE shop.`order` SET `pay.load` = ?")) {
            update.setBytes(1, java.util.Arrays.copyOf(buffer, n));
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
