package dev.blobmark.lab.store;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.client.Driver;
import dev.blobmark.lab.server.Endpoint;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** On the MySQL whose base directory the environment variable BLOBMARK_TEST_MYSQL names. */
@Tag("long")
class MySqlTableIT extends TableContract {

    private static Process mysqld;
    private static Endpoint server;

    MySqlTableIT() {
        super(server, false);
    }

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        String base = System.getenv("BLOBMARK_TEST_MYSQL");
        assumeTrue(base != null, "no MySQL: set BLOBMARK_TEST_MYSQL to the directory that has bin/mysqld");
        Path data = directory.resolve("data");
        Process initialize = mysqld(base, data, "--initialize-insecure");
        if (initialize.waitFor() != 0) {
            throw new IOException("mysqld --initialize-insecure: " + Files.readString(log(data)));
        }
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        server = new Endpoint("127.0.0.1", port, "root", "");
        mysqld = mysqld(
                base,
                data,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + directory.resolve("s"),
                "--loose-mysqlx=OFF",
                "--max-allowed-packet=64M",
                "--innodb-redo-log-capacity=1G",
                // a directory beside the data, for a file system of another kind
                "--innodb-directories=" + directory.resolve("holeless"));
        while (true) {
            try {
                Driver.connectForLoading(server, "").close();
                return;
            } catch (SQLException notYet) {
                if (mysqld.waitFor(100, TimeUnit.MILLISECONDS)) {
                    throw new IOException("mysqld ended: " + Files.readString(log(data)), notYet);
                }
            }
        }
    }

    private static Path log(Path data) {
        return data.resolveSibling("log");
    }

    private static Process mysqld(String base, Path data, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(base, "bin", "mysqld").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + base,
                "--lc-messages-dir=" + Path.of(base, "share"),
                "--datadir=" + data));
        command.addAll(List.of(options));
        File log = log(data).toFile();
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (mysqld != null) {
            mysqld.destroy();
            mysqld.waitFor();
        }
    }
}
