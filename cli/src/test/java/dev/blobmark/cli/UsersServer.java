package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerLaunch;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A real MySQL as a user has it: schemas that must stay as they are, a general log of all statements, and an account
 * for Blobmark. It can be killed and started again with its data.
 */
final class UsersServer implements AutoCloseable {

    private static final long POLL_NANOS = 1_000_000;

    /** Found nowhere by chance, and with what option files and shells treat in their own way. */
    static final String PASSWORD = "Nobody else's #4711 pass$word";

    /** What a run needs, disk bytes included. */
    static final List<String> GRANTS = GrantsIT.documented("MySQL");

    private static final String GUEST = "'guest'@'127.0.0.1'";

    private final OwnServer server;
    private final Path directory;
    private final List<String> command;
    private Process restarted;

    private UsersServer(OwnServer server) throws IOException, SQLException {
        this.server = server;
        directory = server.scratch().getParent();
        command = Arrays.asList(Files.readString(Path.of("/proc", Long.toString(server.pid()), "cmdline"))
                .split("\0"));
        own("CREATE DATABASE shop");
        own("CREATE TABLE shop.orders (id INT PRIMARY KEY, paid MEDIUMBLOB) ROW_FORMAT=COMPRESSED");
        own("INSERT INTO shop.orders VALUES (1, REPEAT('one', 10000)), (2, REPEAT('two', 20000)), (3, NULL)");
        own("CREATE VIEW shop.paid AS SELECT id FROM shop.orders WHERE paid IS NOT NULL");
        // as Blobmark would name them, but without its marker
        own("CREATE DATABASE blobmark_2");
        own("CREATE TABLE blobmark_2.t01_none (id INT PRIMARY KEY, data MEDIUMBLOB NOT NULL)");
        own("INSERT INTO blobmark_2.t01_none VALUES (0, 'mine')");
        grant(GRANTS);
    }

    /** Starts a MySQL with all its files in a directory; the test that asks is skipped where there is no MySQL. */
    static UsersServer start(Path directory) throws IOException, SQLException {
        ServerOptions options = ServerOptions.of(64 << 20)
                .with(Map.of("innodb_redo_log_capacity", Integer.toString(64 << 20), "general_log", "ON"))
                .with(new ServerLaunch(Optional.of(directory), List.of()));
        return new UsersServer(
                (OwnServer) Servers.parse("mysqld:" + requireMySql()).open(BlobmarkProcess.CACHE, options));
    }

    /** The base directory of a MySQL. */
    static Path requireMySql() {
        String base = System.getenv("BLOBMARK_TEST_MYSQL");
        Assumptions.assumeTrue(
                base != null && !base.isEmpty(),
                "no MySQL to test with: set BLOBMARK_TEST_MYSQL to a base directory, see bench/real-mysql");
        return Path.of(base);
    }

    /** What {@code --server} takes. */
    String address() {
        return "mysql://guest@" + server.endpoint().authority() + "/";
    }

    /** Gives the guest these privileges and no others. */
    void grant(List<String> privileges) throws SQLException {
        own("DROP USER IF EXISTS " + GUEST);
        own("CREATE USER " + GUEST + " IDENTIFIED BY '" + PASSWORD.replace("'", "''") + "'");
        for (String one : privileges) {
            own("GRANT " + one + " TO " + GUEST);
        }
    }

    /** Does something as the server's owner. */
    void own(String sql) throws SQLException {
        try (Connection owner = owner();
                Statement statement = owner.createStatement()) {
            statement.execute(sql);
        }
    }

    Connection owner() throws SQLException {
        return JdbcDriver.connectForLoading(server.endpoint(), "");
    }

    /** All that must stay as it is: schemas, tables and what they hold, accounts and their grants, global variables. */
    List<String> state() throws SQLException {
        List<String> state = new ArrayList<>();
        try (Connection owner = owner();
                Statement statement = owner.createStatement()) {
            for (String sql : List.of(
                    "SHOW DATABASES",
                    "SELECT table_schema, table_name, create_options FROM information_schema.tables"
                            + " WHERE table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')"
                            + " ORDER BY 1, 2",
                    "CHECKSUM TABLE shop.orders, blobmark_2.t01_none EXTENDED",
                    "SELECT id, SHA2(paid, 256) FROM shop.orders ORDER BY id",
                    "SELECT id FROM shop.paid",
                    "SELECT user, host, authentication_string FROM mysql.user ORDER BY 1, 2",
                    "SHOW GRANTS FOR " + GUEST,
                    "SHOW GLOBAL VARIABLES")) {
                try (ResultSet rows = statement.executeQuery(sql)) {
                    while (rows.next()) {
                        StringBuilder row = new StringBuilder();
                        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                            row.append(rows.getString(i)).append(' ');
                        }
                        state.add(row.toString());
                    }
                }
            }
        }
        return state;
    }

    /** What it has written down of what it was told. */
    List<Path> logs() throws IOException {
        try (Stream<Path> files = Files.walk(directory, 2)) {
            return files.filter(file -> file.toString().endsWith(".log")).toList();
        }
    }

    private ProcessHandle process() {
        return restarted == null ? ProcessHandle.of(server.pid()).orElseThrow() : restarted.toHandle();
    }

    void kill() {
        ProcessHandle process = process();
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Starts it as it was started before, and waits until it lets its owner in. */
    void restart() throws IOException {
        restarted = new ProcessBuilder(command)
                .directory(directory.toFile())
                // where its first SQL came from, which it reads again at each start
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("server.log").toFile()))
                .start();
        while (true) {
            try {
                owner().close();
                return;
            } catch (SQLException notYet) {
                assertThat(restarted.isAlive()).as("the server that was killed").isTrue();
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    @Override
    public void close() {
        if (restarted != null) {
            kill();
        }
        server.close();
    }
}
