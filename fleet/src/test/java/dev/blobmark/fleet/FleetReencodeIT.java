package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import dev.blobmark.mysql.server.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of tables from the hosts of a Spark cluster. */
class FleetReencodeIT {

    private static LocalCluster cluster;

    @TempDir
    private static Path directory;

    @BeforeAll
    static void start() throws IOException {
        cluster = LocalCluster.start(2, Map.of());
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void tablesOfTwoServersAndPartsOfOneAreChangedFromTheHosts() throws Exception {
        try (Server one = Servers.parse("embedded").open(FleetCommand.CACHE, ServerOptions.of(64 << 20));
                Server two = Servers.parse("embedded").open(FleetCommand.CACHE, ServerOptions.of(64 << 20))) {
            for (Server server : List.of(one, two)) {
                execute(
                        server,
                        "CREATE USER 'you'@'%' IDENTIFIED BY 'secret'",
                        "GRANT ALL ON *.* TO 'you'@'%'",
                        "CREATE DATABASE shop",
                        "USE shop",
                        "CREATE TABLE orders (id INT PRIMARY KEY, payload MEDIUMBLOB)",
                        "INSERT INTO orders SELECT seq, REPEAT('item ', 200) FROM seq_1_to_300");
            }
            String address = "mysql://you@127.0.0.1:";
            String servers =
                    address + "{" + one.endpoint().port() + "," + two.endpoint().port() + "}/";
            FleetCommand command =
                    withOptionFile(servers, "--to", "zstd:3", "--yes", "--on", cluster.master(), "--hosts", "2");
            assertThat(command.exitCode()).as(command.printed()).isZero();
            assertThat(command.printed()).contains("Done on 2 of 2 servers: 600 of 600 rows changed");

            // with one server, parts of its table
            String server = address + one.endpoint().port() + "/";
            FleetCommand back = reencode(server, "--revert", "--yes");
            assertThat(back.exitCode()).as(back.printed()).isZero();
            execute(one, "USE shop", "INSERT INTO orders SELECT seq, REPEAT('item ', 200) FROM seq_301_to_20000");
            String[] words = {"--to", "lz4", "--yes", "--speed", "100", "--on", cluster.master(), "--hosts", "2"};
            FleetCommand parts = reencode(server, words);
            assertThat(parts.exitCode()).as(parts.printed()).isZero();
            assertThat(parts.printed())
                    .contains("Done: 20,000 of 20,000 rows changed")
                    .doesNotContain("not divided");
            FleetCommand verified = reencode(server, "--verify");
            assertThat(verified.exitCode()).as(verified.printed()).isZero();
            assertThat(verified.printed()).contains("(20,000 rows) hold the same values as before");
        }
    }

    private FleetCommand reencode(String servers, String... more) throws Exception {
        return start(Map.of("BLOBMARK_PASSWORD", "secret"), servers, more);
    }

    /** The hosts do not have the file. */
    private FleetCommand withOptionFile(String servers, String... more) throws Exception {
        Path file = directory.resolve("my.cnf");
        Files.writeString(file, "[client]\npassword=secret\n");
        List<String> words = new ArrayList<>(List.of(more));
        words.addAll(List.of("--defaults-file", file.toString()));
        return start(Map.of(), servers, words.toArray(String[]::new));
    }

    private FleetCommand start(Map<String, String> environment, String servers, String... more) throws Exception {
        List<String> words =
                new ArrayList<>(List.of("reencode", "--table", "shop.orders.payload", "--server", servers));
        words.addAll(List.of(more));
        return FleetCommand.start(directory, environment, words.toArray(String[]::new));
    }

    private static void execute(Server server, String... statements) throws SQLException {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            for (String sql : statements) {
                Sql.execute(connection, sql);
            }
        }
    }
}
