package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An account with the grants of docs/guest.md, and no others, on servers that write a binary log. */
@Tag("long")
class GrantsIT {

    private static final Pattern GRANT = Pattern.compile("    (GRANT (.+) TO 'you'@'%');");

    private static final String PASSWORD = "you're in";

    @TempDir
    private Path directory;

    /** The privileges below a product's name in docs/guest.md: what is between GRANT and TO. */
    static List<String> documented(String product) {
        return documented(product, "guest.md");
    }

    /** The same in another document. */
    static List<String> documented(String product, String document) {
        return statements(product, document).stream()
                .map(statement -> statement.substring("GRANT ".length(), statement.lastIndexOf(" TO ")))
                .toList();
    }

    private static List<String> statements(String product, String document) {
        List<String> statements = new ArrayList<>();
        String heading = "";
        for (String line : lines(document)) {
            Matcher grant = GRANT.matcher(line);
            if (grant.matches() && heading.equals(product + ":")) {
                statements.add(grant.group(1));
            } else if (!line.isBlank() && !line.startsWith(" ")) {
                heading = line;
            }
        }
        return statements;
    }

    private static List<String> lines(String document) {
        try {
            return Files.readAllLines(Path.of("..", "docs", document));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void sufficeOnMySql() throws Exception {
        suffice("MySQL", "mysqld:" + UsersServer.requireMySql());
    }

    @Test
    void sufficeOnMariaDb() throws Exception {
        suffice("MariaDB", "embedded");
    }

    private void suffice(String product, String source) throws Exception {
        Files.writeString(directory.resolve("study.yaml"), RunIT.SMALL);
        ServerOptions options = ServerOptions.of(64 << 20).with(Map.of("log_bin", "binlog", "server_id", "1"));
        try (OwnServer server = (OwnServer) Servers.parse(source).open(BlobmarkProcess.CACHE, options)) {
            try (Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "");
                    Statement statement = owner.createStatement()) {
                statement.execute("CREATE USER 'you'@'%' IDENTIFIED BY '" + PASSWORD.replace("'", "''") + "'");
                List<String> grants = statements(product, "guest.md");
                assertThat(grants).hasSize(2);
                for (String grant : grants) {
                    statement.execute(grant);
                }
                String logged = position(statement, product);

                measure("fetch", server.endpoint(), product);

                assertThat(position(statement, product))
                        .as("nothing was loaded through the log")
                        .isEqualTo(logged);
                assertThat(isAny(statement, "SHOW DATABASES LIKE 'blobmark'"))
                        .as("the schema is left")
                        .isFalse();

                measure("insert", server.endpoint(), product, "--set", "workload=insert", "--allow-replicated-writes");

                // a schema that replicas have too stays
                assertThat(isAny(statement, "SELECT 1 FROM information_schema.tables WHERE table_schema = 'blobmark'"))
                        .as("a table is left")
                        .isFalse();
            }
        }
    }

    private static boolean isAny(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next();
        }
    }

    /** The file of the binary log that is written to, and how far. */
    private static String position(Statement statement, String product) throws SQLException {
        try (ResultSet row =
                statement.executeQuery(product.equals("MySQL") ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS")) {
            assertThat(row.next()).as("there is a binary log").isTrue();
            return row.getString(1) + ":" + row.getLong(2);
        }
    }

    private void measure(String out, Endpoint endpoint, String product, String... more) throws Exception {
        List<String> args = new ArrayList<>(
                List.of("run", "study.yaml", "--out", out, "--server", "mysql://you@" + endpoint.authority() + "/"));
        args.addAll(List.of(more));
        try (BlobmarkProcess run =
                BlobmarkProcess.start(directory, Map.of("BLOBMARK_PASSWORD", PASSWORD), args.toArray(String[]::new))) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains(product);
            assertThat(run.err()).doesNotContain("GRANT ");
        }
        RunDirectory left = RunDirectory.open(directory.resolve(out));
        assertThat(left.samples())
                .isNotEmpty()
                .allMatch(sample -> sample.outcome().isMeasurement());
        assertThat(left.samples())
                .as("the account may flush tables")
                .anyMatch(sample -> sample.disk().allocatedBytes().isPresent());
    }
}
