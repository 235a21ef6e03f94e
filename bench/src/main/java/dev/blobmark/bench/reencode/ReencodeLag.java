package dev.blobmark.bench.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How late a replica is while a change at full speed waits for it: the share of seconds within the limit. Starts a
 * source and a replica on this machine, for each row image. Beats that the change does not know are written to the
 * source five times a second and looked for on the replica.
 *
 * <p>Arguments: rows, the limit in milliseconds, and the base directory of a MySQL; without it, MariaDB is used.
 */
public final class ReencodeLag {

    private static final Duration BEAT = Duration.ofMillis(200);
    private static final String PASSWORD = "bench";

    private final OwnServer source;
    private final OwnServer replica;
    private final boolean isMariaDb;
    private final int rows;
    private final Duration limit;

    private ReencodeLag(OwnServer source, OwnServer replica, boolean isMariaDb, int rows, Duration limit) {
        this.source = source;
        this.replica = replica;
        this.isMariaDb = isMariaDb;
        this.rows = rows;
        this.limit = limit;
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2 || args.length > 3) {
            System.err.println("usage: bench/reencode-lag ROWS LIMIT_MILLISECONDS [MYSQL_DIRECTORY]");
            System.exit(2);
        }
        String own = args.length == 3 ? "mysqld:" + args[2] : "embedded";
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "blobmark");
        for (String image : List.of("FULL", "MINIMAL", "NOBLOB")) {
            try (OwnServer source = start(own, cache, "1", image);
                    OwnServer replica = start(own, cache, "2", image)) {
                new ReencodeLag(
                                source,
                                replica,
                                args.length == 2,
                                Integer.parseInt(args[0]),
                                Duration.ofMillis(Long.parseLong(args[1])))
                        .run(image);
            }
        }
        System.exit(0);
    }

    private static OwnServer start(String own, Path cache, String id, String image) throws Exception {
        return (OwnServer) Servers.parse(own)
                .open(
                        cache,
                        ServerOptions.of(256 << 20)
                                .with(Map.of(
                                        "log_bin",
                                        "bench",
                                        "binlog_format",
                                        "ROW",
                                        "binlog_row_image",
                                        image,
                                        "server_id",
                                        id)));
    }

    private void run(String image) throws Exception {
        try (Connection first = JdbcDriver.connectForLoading(source.endpoint(), "");
                Connection second = JdbcDriver.connectForLoading(replica.endpoint(), "")) {
            replicate(first, second);
            fill(first);
            Sql.execute(first, "INSERT INTO bench.seen VALUES (1, 0)");
            await(second, 0);
            Path output = Files.createTempFile("blobmark-lag-", ".json");
            Process change = start(output);
            List<Long> lags = observe(first, second, change);
            if (change.waitFor() != 0) {
                throw new IllegalStateException(Files.readString(output));
            }
            Files.delete(output);
            report(image, lags);
            await(second, lags.size());
            String checksum = "SELECT SUM(CRC32(payload)) FROM bench.t";
            if (!Sql.strings(first, checksum).equals(Sql.strings(second, checksum))) {
                throw new IllegalStateException("the replica has other values");
            }
        }
    }

    private void replicate(Connection first, Connection second) throws SQLException {
        for (Connection each : List.of(first, second)) {
            Sql.execute(each, "CREATE USER 'bench'@'127.0.0.1' IDENTIFIED BY '" + PASSWORD + "'");
            Sql.execute(each, "GRANT ALL ON *.* TO 'bench'@'127.0.0.1'");
        }
        Replica.follow(first, source.endpoint().port(), second, isMariaDb);
    }

    /** Values of 1 KB that encoding halves. */
    private void fill(Connection first) throws SQLException {
        Sql.execute(first, "CREATE DATABASE bench");
        Sql.execute(first, "CREATE TABLE bench.t (id INT PRIMARY KEY, payload MEDIUMBLOB) ENGINE=InnoDB");
        Sql.execute(first, "CREATE TABLE bench.seen (id INT PRIMARY KEY, beat INT NOT NULL) ENGINE=InnoDB");
        first.setAutoCommit(false);
        try (PreparedStatement insert = first.prepareStatement("INSERT INTO bench.t VALUES (?, CONCAT(SHA2(?, 512),"
                + " SHA2(?, 512), SHA2(?, 384), REPEAT(SHA2(?, 512), 5)))")) {
            for (int id = 0; id < rows; id++) {
                for (int i = 1; i <= 5; i++) {
                    insert.setInt(i, id + (i - 1) * 7);
                }
                insert.addBatch();
                if ((id + 1) % 500 == 0 || id + 1 == rows) {
                    insert.executeBatch();
                    first.commit();
                }
            }
        }
        first.setAutoCommit(true);
    }

    private static int beat(Connection second) throws SQLException {
        List<String> seen;
        try {
            seen = Sql.strings(second, "SELECT beat FROM bench.seen");
        } catch (SQLException e) { // the table is not there yet
            return -1;
        }
        return seen.isEmpty() ? -1 : Integer.parseInt(seen.get(0));
    }

    private static void await(Connection second, int beat) throws SQLException, InterruptedException {
        while (beat(second) < beat) {
            Thread.sleep(50);
        }
    }

    private Process start(Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        "./blobmark",
                        "reencode",
                        "--table=bench.t.payload",
                        "--to=zstd:3",
                        "--server=mysql://bench@127.0.0.1:" + source.endpoint().port() + "/",
                        "--replicas=mysql://bench@127.0.0.1:"
                                + replica.endpoint().port() + "/",
                        "--max-lag=" + limit.toMillis() + "ms",
                        "--speed=100",
                        "--max-load=",
                        "--get-server-public-key",
                        "--format=json",
                        "--yes"))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("BLOBMARK_PASSWORD", PASSWORD);
        return builder.start();
    }

    /** The lag at each beat, in nanoseconds, until the change has ended. */
    private static List<Long> observe(Connection first, Connection second, Process change)
            throws SQLException, InterruptedException {
        List<Long> written = new ArrayList<>();
        List<Long> lags = new ArrayList<>();
        try (PreparedStatement update = first.prepareStatement("UPDATE bench.seen SET beat = ?")) {
            long begin = System.nanoTime();
            while (change.isAlive()) {
                update.setInt(1, written.size() + 1);
                update.executeUpdate();
                written.add(System.nanoTime());
                long next = begin + written.size() * BEAT.toNanos();
                TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
                int seen = Math.max(0, beat(second));
                // the first beat that is not there yet
                lags.add(seen < written.size() ? System.nanoTime() - written.get(seen) : 0);
            }
        }
        return lags;
    }

    private void report(String image, List<Long> lags) {
        int perSecond = (int) (Duration.ofSeconds(1).toNanos() / BEAT.toNanos());
        int seconds = 0;
        int within = 0;
        for (int from = 0; from < lags.size(); from += perSecond) {
            seconds++;
            long most = lags.subList(from, Math.min(lags.size(), from + perSecond)).stream()
                    .mapToLong(lag -> lag)
                    .max()
                    .orElseThrow();
            within += most <= limit.toNanos() ? 1 : 0;
        }
        System.out.printf(
                Locale.ROOT,
                "%s, %s, %,d rows in %d s: lag within %d ms in %d of %d seconds; at most %.1f s, seen every %.1f s%n",
                isMariaDb ? "MariaDB" : "MySQL",
                image,
                rows,
                seconds,
                limit.toMillis(),
                within,
                seconds,
                lags.stream().mapToLong(lag -> lag).max().orElse(0) / 1e9,
                BEAT.toMillis() / 1e3);
    }
}
