package dev.blobmark.lab.server.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.conduct.RealMySql;
import dev.blobmark.lab.environment.Environment;
import dev.blobmark.lab.server.redis.RedisIdentity;
import dev.blobmark.lab.server.redis.RedisServer;
import dev.blobmark.lab.server.redis.RedisServers;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Another process takes the port that a private server was given, after it was chosen and before the server listens.
 */
@Tag("long")
class PortThiefIT {

    private static final int PATIENCE_MILLIS = 300;

    @TempDir
    private Path directory;

    /** Takes the ports of the first starts, and waits for somebody to connect there. */
    private final class Thief implements AutoCloseable {

        private final Path told = directory.resolve("told");
        private final Path answer = directory.resolve("answer");
        private final Path input = directory.resolve("input-");
        private final List<ServerSocket> traps = Collections.synchronizedList(new ArrayList<>());
        private final List<Socket> victims = Collections.synchronizedList(new ArrayList<>());
        private final List<String> starts = Collections.synchronizedList(new ArrayList<>());
        private int toTake;

        Thief(int toTake) throws Exception {
            this.toTake = toTake;
            for (Path fifo : List.of(told, answer)) {
                assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                        .isZero();
            }
            daemon(this::watch);
        }

        private void daemon(Runnable work) {
            Thread thread = new Thread(work, "port-thief");
            thread.setDaemon(true);
            thread.start();
        }

        /**
         * A shell that prints the command of the server, waits for an answer, and then becomes the server. The answer
         * is kept.
         */
        List<String> prefix() {
            return List.of(
                    "sh",
                    "-c",
                    "cat > " + input + "$$; printf '%s\\n' $$ \"$@\" > " + told + "; read go < " + answer
                            + "; exec \"$@\" < " + input + "$$",
                    "sh");
        }

        private void watch() {
            try {
                while (true) {
                    start(Files.readAllLines(told));
                    Files.writeString(answer, "go\n");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void start(List<String> words) throws IOException {
            String all = String.join("\n", words);
            Path configuration = Path.of(words.get(2).replaceFirst("^--defaults-file=", ""));
            if (!all.contains("--port=")) {
                all += "\n" + Files.readString(configuration);
            }
            Matcher port = Pattern.compile("(?m)^(?:--port=|port )(\\d+)$").matcher(all);
            if (port.find()) {
                starts.add(all + "\n" + Files.readString(Path.of(input + words.get(0))));
                if (traps.size() < toTake) {
                    trap(Integer.parseInt(port.group(1)));
                }
            }
        }

        private void trap(int port) throws IOException {
            ServerSocket trap = new ServerSocket(port, 50, InetAddress.getByName("127.0.0.1"));
            traps.add(trap);
            // the server goes on only then: whoever connects without knowing that it listens has done so by now
            trap.setSoTimeout(PATIENCE_MILLIS);
            try {
                victims.add(trap.accept());
            } catch (SocketTimeoutException nobodyCame) {
                // as it should be
            }
            trap.setSoTimeout(0);
            daemon(() -> {
                try {
                    while (true) {
                        victims.add(trap.accept());
                    }
                } catch (IOException closed) {
                    // at the end of the test
                }
            });
        }

        /** Nobody has connected, and each start had a password of its own. */
        void hasGotNothing(Endpoint endpoint, Pattern secret) {
            assertThat(victims).as("connections to the trap").isEmpty();
            assertThat(traps).hasSize(toTake);
            assertThat(traps).extracting(ServerSocket::getLocalPort).doesNotContain(endpoint.port());
            assertThat(starts).hasSize(toTake + 1);
            assertThat(starts.stream().map(secret::matcher).map(found -> {
                        assertThat(found.find()).isTrue();
                        return found.group();
                    }))
                    .doesNotHaveDuplicates();
        }

        void release() throws IOException {
            for (ServerSocket trap : traps) {
                trap.close();
            }
        }

        @Override
        public void close() throws IOException {
            release();
            for (Socket victim : victims) {
                victim.close();
            }
        }
    }

    private void startsElsewhere(Binaries binaries, Pattern secret) throws Exception {
        try (Thief thief = new Thief(2);
                OwnServer server = OwnServer.start(
                        OwnServerIT.CACHE,
                        binaries,
                        "test",
                        OwnServerIT.SMALL.with(new ServerLaunch(Optional.empty(), thief.prefix())))) {
            thief.hasGotNothing(server.endpoint(), secret);

            thief.toTake++;
            assertThatThrownBy(server::restart)
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("lost its port " + server.endpoint().port());
            assertThat(thief.victims)
                    .as("connections to the trap of the restart")
                    .isEmpty();
        }
    }

    @Test
    void mariaDbStartsElsewhereWithAnotherPassword() throws Exception {
        startsElsewhere(
                MariaDbBinaries.unpacked(OwnServerIT.CACHE.toAbsolutePath().resolve("embedded")),
                Pattern.compile("mysql_native_password USING '[^']+'"));
    }

    @Test
    void mySqlStartsElsewhereWithAnotherPassword() throws Exception {
        startsElsewhere(Binaries.at(RealMySql.requireBase()), Pattern.compile("caching_sha2_password BY '[^']+'"));
    }

    @Test
    void redisStartsElsewhereWithAnotherPassword() throws Exception {
        try (Thief thief = new Thief(2);
                RedisServer server = RedisServers.EMBEDDED.open(
                        directory, Environment.DEFAULT, new ServerLaunch(Optional.empty(), thief.prefix()))) {
            thief.hasGotNothing(server.endpoint(), Pattern.compile("#[0-9a-f]{64}"));

            thief.toTake++;
            assertThatThrownBy(server::restart)
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("lost its port " + server.endpoint().port());
            assertThat(thief.victims)
                    .as("connections to the trap of the restart")
                    .isEmpty();

            thief.toTake = 0;
            thief.release();
            server.restart();
            try (Jedis jedis = RedisIdentity.connect(server.endpoint())) {
                assertThat(jedis.ping()).isEqualTo("PONG");
            }
        }
    }

    /** A password that got lost is no way to the files of the user that runs Blobmark. */
    @Test
    void theAccountOfAPrivateRedisDoesNotReachBeyondItsMemory() throws Exception {
        try (RedisServer server = RedisServers.EMBEDDED.open(directory);
                Jedis jedis = RedisIdentity.connect(server.endpoint())) {
            assertThat(jedis.set("key", "value")).isEqualTo("OK");
            assertThat(jedis.configGet("dir")).isNotEmpty();
            for (ThrowingCommand command : List.<ThrowingCommand>of(
                    () -> jedis.configSet("dir", "/tmp"),
                    jedis::save,
                    jedis::bgsave,
                    jedis::bgrewriteaof,
                    jedis::moduleList,
                    () -> jedis.replicaof("127.0.0.1", 1),
                    () -> jedis.eval("return 1"),
                    () -> jedis.migrate("127.0.0.1", 1, "key", 10),
                    jedis::aclList,
                    jedis::shutdown)) {
                assertThatThrownBy(command::run)
                        .isInstanceOf(JedisException.class)
                        .hasMessageContaining("NOPERM");
            }
        }
    }

    private interface ThrowingCommand {
        void run();
    }
}
