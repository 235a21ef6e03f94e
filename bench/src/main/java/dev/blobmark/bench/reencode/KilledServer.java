package dev.blobmark.bench.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.Endpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A server that can be killed with SIGKILL and started again with its data, at the same address. */
final class KilledServer implements AutoCloseable {

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long POLL_MILLIS = 20;

    private final OwnServer server;
    private final List<String> command;
    private ProcessHandle process;

    private KilledServer(OwnServer server) throws IOException {
        this.server = server;
        process = ProcessHandle.of(server.pid()).orElseThrow();
        command = new ArrayList<>(List.of(
                Files.readString(Path.of("/proc", Long.toString(server.pid()), "cmdline"), StandardCharsets.ISO_8859_1)
                        .split("\0")));
        command.removeIf(argument -> argument.startsWith("--init-file")); // its account exists
    }

    /** @param mysql base directory of MySQL; otherwise the MariaDB that comes with Blobmark */
    static KilledServer start(Optional<Path> mysql, Path cache) throws IOException {
        Map<String, String> variables = new HashMap<>(Map.of(
                // what was committed survives the end of the process
                "innodb_flush_log_at_trx_commit", "2",
                "log_bin", "killed",
                "binlog_format", "ROW",
                "server_id", "1",
                "sync_binlog", "0"));
        variables.put(mysql.isPresent() ? "innodb_redo_log_capacity" : "innodb_log_file_size", "128M");
        String name = mysql.map(directory -> "mysqld:" + directory).orElse("embedded");
        return new KilledServer((OwnServer) Servers.parse(name)
                .open(cache, ServerOptions.of(256 << 20).withTls(false).with(variables)));
    }

    Endpoint endpoint() {
        return server.endpoint();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Starts it again, and waits until it accepts connections. */
    void startAgain() throws IOException, InterruptedException {
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(server.logFile().toFile()))
                .start();
        started.getOutputStream().close();
        process = started.toHandle();
        long begin = System.nanoTime();
        while (!answers()) {
            if (!started.isAlive() || System.nanoTime() - begin > START_NANOS) {
                throw new IllegalStateException(
                        "the server does not start again: " + String.join("\n", server.lastLogLines()));
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    boolean answers() {
        try (Connection connection = JdbcDriver.connectToWatch(endpoint())) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
        server.close();
    }
}
