package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.cli.Listeners.Listener;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.client.Sql;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever listens while a command runs is in the table of SECURITY.md, at the address that is there. */
@Tag("long")
class ListenersIT {

    /** In all kinds of servers that Blobmark starts alone, over a link that its peer measures. */
    private static final String STUDY = """
            study: tiny
            question: Who listens?
            source: a test
            metric: throughput
            baseline: plain
            methods:
              plain: {codec: none}
              toast: {store: postgresql}
            conditions:
              - {workload: fetch, dataset: sites, size: 4KB, rows: 50, link: "any 1ms", tls: off, threads: 1}
            schedule: {rounds: 1, forks: 1, window: 50ms, warm-up: 50ms, seed: 1}
            """;

    private static final String SETS = """
            study: sets
            question: Who listens?
            source: a test
            metric: throughput
            baseline: redis
            methods:
              redis: {store: redis}
              redis-async: {store: redis, client: async}
            conditions:
              - {workload: membership, dataset: "uuid:4", rows: 100, link: loopback, tls: off, threads: 1}
            schedule: {rounds: 1, forks: 1, window: 50ms, warm-up: 50ms, seed: 1}
            """;

    private static final long POLL_NANOS = 2_000_000;

    private static final Listener DATABASE = new Listener("mariadbd", "tcp 127.0.0.1");

    @TempDir
    private Path directory;

    /** A row of the table. */
    private record Row(List<String> commands, List<String> programs, String address) {

        boolean allows(String command, Listener listener) {
            return commands.contains(command)
                    && programs.stream().anyMatch(listener.program()::startsWith)
                    && address.equals(listener.address());
        }
    }

    private final Set<Listener> seen = new LinkedHashSet<>();

    @BeforeAll
    static void requireProc() {
        assumeTrue(Listeners.areShown(), "only Linux shows the sockets of processes in /proc");
    }

    private static List<Row> table() throws IOException {
        String document = Files.readString(Path.of("..", "SECURITY.md"));
        String section = document.substring(document.indexOf("## Listening sockets"));
        return section.substring(0, section.indexOf("\n## ", 1))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split(" *\\| *"))
                .map(cells -> new Row(
                        words(cells[1]), words(cells[2]), words(cells[3]).get(0)))
                .toList();
    }

    /** The words in back ticks. */
    private static List<String> words(String cell) {
        return Arrays.stream(cell.split(", "))
                .map(word -> word.replace("`", ""))
                .toList();
    }

    private static void assertInTable(String command, Set<Listener> listeners) throws IOException {
        List<Row> table = table();
        assertThat(table).hasSizeGreaterThan(5);
        assertThat(listeners)
                .allSatisfy(listener -> assertThat(table)
                        .as("%s: %s", command, listener)
                        .anyMatch(row -> row.allows(command, listener)));
    }

    /** Looks at a command until a condition holds, or it has ended. */
    private void look(BlobmarkProcess process, BooleanSupplier until) {
        while (process.isAlive() && !until.getAsBoolean()) {
            seen.addAll(Listeners.of(process.handle()));
            LockSupport.parkNanos(POLL_NANOS); // the processors are the command's
        }
    }

    private void run(String... words) throws Exception {
        try (BlobmarkProcess process = BlobmarkProcess.start(directory, words)) {
            look(process, () -> false);
            assertThat(process.exitCode()).as(process.err()).isZero();
        }
        assertInTable(words[0], seen);
    }

    /** The instrument, and that the table has none of these. */
    @Test
    void whatListensIsSeen() throws Exception {
        Path file = directory.resolve("socket");
        try (ServerSocket all = new ServerSocket(0);
                ServerSocket loopback = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                DatagramSocket messages = new DatagramSocket(0, InetAddress.getByName("127.0.0.2"));
                ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            unix.bind(UnixDomainSocketAddress.of(file));
            assertThat(List.of(all.isBound(), loopback.isBound(), messages.isBound()))
                    .containsOnly(true);
            assertThat(Listeners.of(ProcessHandle.current()))
                    .contains(
                            new Listener("java", "tcp *"),
                            new Listener("java", "tcp 127.0.0.1"),
                            new Listener("java", "udp 127.0.0.2"),
                            new Listener("java", "unix " + file));
        }
        assertThat(Listeners.of(ProcessHandle.current()))
                .doesNotContain(new Listener("java", "tcp *"), new Listener("java", "unix " + file));
        for (String address : List.of("tcp *", "tcp 0.0.0.0", "udp 127.0.0.2", "unix " + file)) {
            assertThat(table()).noneMatch(row -> row.allows("run", new Listener("java", address)));
        }
        assertThat(table()).noneMatch(row -> row.allows("survey", DATABASE));
    }

    @Test
    void aRunListensOnTheLoopbackInterface() throws Exception {
        Files.writeString(directory.resolve("tiny.yaml"), STUDY);
        run("run", "tiny.yaml", "--out=run");
        assertThat(seen).contains(DATABASE, new Listener("postgres", "tcp 127.0.0.1"));
    }

    @Test
    void soDoesRedis() throws Exception {
        Files.writeString(directory.resolve("sets.yaml"), SETS);
        run("run", "sets.yaml", "--out=run");
        assertThat(seen).anyMatch(listener -> listener.program().startsWith("redis-server"));
    }

    @Test
    void soDoesMySqlWithoutItsOtherProtocols() throws Exception {
        Path mySql = UsersServer.requireMySql();
        Files.writeString(directory.resolve("tiny.yaml"), RunIT.SMALL);
        run("run", "tiny.yaml", "--server=mysqld:" + mySql, "--out=run");
        assertThat(seen).containsExactly(new Listener("mysqld", "tcp 127.0.0.1"));
    }

    @Test
    void soDoesACluster() throws Exception {
        Path mySql = UsersServer.requireMySql();
        assumeTrue(Files.isExecutable(mySql.resolve("bin/ndbmtd")), "there is no ndbmtd in " + mySql);
        Files.writeString(directory.resolve("tiny.yaml"), RunIT.SMALL);
        run("run", "tiny.yaml", "--server=ndb:" + mySql, "--out=run");
        assertThat(seen)
                .contains(new Listener("ndb_mgmd", "tcp 127.0.0.1"), new Listener("mysqld", "tcp 127.0.0.1"))
                .anyMatch(listener -> listener.program().startsWith("ndbmtd"));
    }

    @Test
    void anAdviceListensOnTheLoopbackInterface() throws Exception {
        run("advise", "--data=sites", "--size=4KB", "--link=any 1ms", "--time=5s", "--out=advice");
        assertThat(seen).contains(DATABASE);
    }

    @Test
    void aDoctorListensOnTheLoopbackInterface() throws Exception {
        run("doctor", "--link=any 1ms");
        assertThat(seen).contains(DATABASE);
    }

    @Test
    void aLinkListensWhereItIsTold() throws Exception {
        for (String host : List.of("", "127.0.0.3:")) {
            seen.clear();
            try (BlobmarkProcess link = BlobmarkProcess.start(
                    directory, "link", "--listen=" + host + "0", "--to=127.0.0.1:1", "--link=any 1ms")) {
                look(link, () -> link.out().contains("listening on ") && !seen.isEmpty());
                link.signal("TERM");
                assertThat(link.exitCode()).isEqualTo(143);
            }
            if (host.isEmpty()) {
                assertInTable("link", seen);
            }
            assertThat(seen).containsExactly(new Listener("java", host.isEmpty() ? "tcp 127.0.0.1" : "tcp 127.0.0.3"));
        }
        assertThat(table())
                .anyMatch(row -> row.commands().contains("link --listen HOST:PORT")
                        && row.address().equals("tcp HOST"));
    }

    @Test
    void aSurveyListensNowhereAndAChangeOfATableAtItsSocket() throws Exception {
        try (OwnServer server = (OwnServer) Servers.parse("embedded")
                        .open(
                                BlobmarkProcess.CACHE,
                                ServerOptions.of(64 << 20).with(Map.of("log_bin", "b", "server_id", "1")));
                Connection owner = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            Sql.execute(owner, "CREATE DATABASE shop");
            Sql.execute(owner, "CREATE TABLE shop.orders (id INT PRIMARY KEY, payload MEDIUMBLOB)");
            Sql.execute(owner, "INSERT INTO shop.orders SELECT seq, REPEAT('value ', 1000) FROM shop.seq_1_to_400");
            Map<String, String> password =
                    Map.of("BLOBMARK_PASSWORD", server.endpoint().password());
            String address = "--server=mysql://" + server.endpoint().user() + "@"
                    + server.endpoint().authority() + "/";
            try (BlobmarkProcess survey =
                    BlobmarkProcess.start(directory, password, "survey", address, "--out=survey")) {
                look(survey, () -> false);
                assertThat(survey.exitCode()).as(survey.err()).isZero();
            }
            assertThat(seen).isEmpty();

            Path pause = Files.createFile(directory.resolve("pause"));
            Path socket = directory.resolve("socket");
            try (BlobmarkProcess change = BlobmarkProcess.start(
                    directory,
                    password,
                    "reencode",
                    "--table=shop.orders.payload",
                    "--to=zstd:3",
                    address,
                    "--yes",
                    "--ignore-replicas",
                    "--speed=100",
                    "--pause-file=pause",
                    "--socket=" + socket)) {
                look(change, () -> change.err().contains("paused: "));
                seen.addAll(Listeners.of(change.handle()));
                Files.delete(pause);
                look(change, () -> false);
                assertThat(change.exitCode()).as(change.err()).isZero();
            }
            assertThat(seen).containsExactly(new Listener("java", "unix " + socket));
            assertThat(table())
                    .anyMatch(row -> row.commands().contains("reencode --socket FILE")
                            && row.address().equals("unix FILE"));
        }
    }
}
