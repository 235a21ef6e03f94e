package dev.blobmark.lab.server.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.codec.Codecs;
import dev.blobmark.lab.client.Redis;
import dev.blobmark.lab.client.Tls;
import dev.blobmark.lab.client.Traffic;
import dev.blobmark.lab.dataset.Datasets;
import dev.blobmark.lab.server.own.SelfSignedCertificate;
import dev.blobmark.lab.server.own.ServerSource;
import dev.blobmark.lab.store.EncodedValues;
import dev.blobmark.lab.study.Design;
import dev.blobmark.lab.workload.Setup;
import dev.blobmark.lab.workload.Workload;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerIdentity;
import dev.blobmark.mysql.server.SslMode;
import dev.blobmark.mysql.server.TlsMaterial;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

class RedisServersIT {

    @TempDir
    private Path directory;

    @Test
    void theEmbeddedOneNeedsItsPasswordAndLeavesNothing() throws Exception {
        Endpoint endpoint;
        long pid;
        try (RedisServer server = RedisServers.EMBEDDED.open(directory)) {
            endpoint = server.endpoint();
            pid = server.pids().get(0);
            assertThat(server.kind()).isEqualTo("embedded");
            assertThat(endpoint.host()).isEqualTo("127.0.0.1");
            ServerIdentity identity = RedisIdentity.read(endpoint);
            assertThat(identity.product()).isEqualTo("Redis");
            assertThat(identity.version()).matches("\\d+\\.\\d+\\.\\d+");
            assertThat(identity.variables())
                    .containsEntry("save", "")
                    .containsEntry("appendonly", "no")
                    .doesNotContainKey("requirepass")
                    .doesNotContainValue(endpoint.password());
            Endpoint stranger = new Endpoint(endpoint.host(), endpoint.port(), "default", "guess");
            assertThatThrownBy(() -> RedisIdentity.read(stranger))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("WRONGPASS");
        }
        assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false))
                .isFalse();
        try (var left = Files.list(directory.resolve("servers"))) {
            assertThat(left).extracting(Path::getFileName).containsExactly(Path.of("lock"));
        }
    }

    /** The one that comes with Blobmark is as good a program as any. */
    @Test
    void anInstalledOneIsTakenByItsPathOrFound() throws Exception {
        Path program = unpacked();
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("valkey-server"), program);
        for (String text : List.of("redis-server:" + program, "redis-server")) {
            List<Path> searchPath = text.contains(":") ? List.of() : List.of(bin);
            try (RedisServer server =
                    RedisServers.parse(text, Optional.empty(), searchPath).open(directory)) {
                assertThat(server.kind()).isEqualTo("redis-server");
                assertThat(RedisIdentity.read(server.endpoint()).product()).isEqualTo("Redis");
            }
        }
    }

    private Path unpacked() throws IOException {
        RedisServers.EMBEDDED.open(directory).close();
        try (var unpacked = Files.list(directory.resolve("redis"))) {
            return unpacked.findFirst().orElseThrow();
        }
    }

    @Test
    void theEmbeddedOneIsComparedWithItsPackageAndMadeAgain() throws Exception {
        Path program = unpacked();
        byte[] bytes = Files.readAllBytes(program);
        Path script = Files.writeString(directory.resolve("script"), "#!/bin/sh\ntouch " + directory + "/was-here\n");
        try (var out = FileChannel.open(script, StandardOpenOption.WRITE)) {
            out.write(ByteBuffer.allocate(1), bytes.length - 1);
        }
        Files.setAttribute(script, "unix:mode", 0700);
        Files.move(script, program, StandardCopyOption.REPLACE_EXISTING); // of the same length

        RedisServers.EMBEDDED.open(directory).close();
        assertThat(directory.resolve("was-here")).doesNotExist();
        assertThat(program).hasBinaryContent(bytes);
    }

    /** As an earlier version left them with umask 002. */
    @Test
    void aProgramThatOthersMayReplaceIsNotStarted() throws Exception {
        Path program = unpacked();
        Files.setAttribute(program, "unix:mode", 0777);
        RedisServers.EMBEDDED.open(directory).close(); // made again, in a directory of the user's own
        assertThat(Files.getAttribute(program, "unix:mode")).isEqualTo(0100700);

        Path parent = program.getParent();
        ServerSource<RedisServer> named = RedisServers.parse("redis-server:" + program, Optional.empty(), List.of());
        Files.setAttribute(parent, "unix:mode", 0777);
        for (ServerSource<RedisServer> source : List.of(RedisServers.EMBEDDED, named)) {
            assertThatThrownBy(() -> source.open(directory))
                    .isInstanceOf(ServerException.class)
                    .hasMessageContaining("other users may write to " + parent)
                    .hasMessageContaining("chmod go-w");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    redis                              | is not a Redis: use one of embedded, redis-server,
                    redis-server:                      | is not a Redis
                    redis://host:123456                | is not a Redis
                    http://host                        | is not a Redis
                    redis://user:secret@host           | REDISCLI_AUTH
                    """)
    void whatNamesNoneIsRefused(String text, String reason) {
        assertThatThrownBy(() -> RedisServers.parse(text, Optional.empty(), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aProgramThatIsNotThereOrNoneIsSaidToBe() throws Exception {
        Path text = Files.writeString(directory.resolve("text"), "no program");
        assertThatThrownBy(() -> RedisServers.parse("redis-server:" + text, Optional.empty(), List.of())
                        .open(directory))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("cannot be run");
        assertThatThrownBy(() -> RedisServers.parse(
                                "redis-server:" + directory.resolve("nowhere"), Optional.empty(), List.of())
                        .open(directory))
                .hasMessageContaining("does not exist");
        assertThatThrownBy(() -> RedisServers.parse("redis-server:/bin/false", Optional.empty(), List.of())
                        .open(directory))
                .hasMessageContaining("ended with exit status 1");
        assertThatThrownBy(() -> RedisServers.parse("redis://127.0.0.1:1", Optional.empty(), List.of())
                        .open(directory))
                .hasMessageContaining("Redis at 127.0.0.1:1 does not answer");
    }

    @Test
    void anAddressSaysWhetherItIsEncrypted() {
        ServerSource<RedisServer> plain = RedisServers.parse("redis://there", Optional.empty(), List.of());
        ServerSource<RedisServer> encrypted = RedisServers.parse("rediss://there", Optional.empty(), List.of());

        assertThat(plain.encryptionProblem(false)).isEmpty();
        assertThat(plain.encryptionProblem(true).orElseThrow()).contains("write rediss://");
        assertThat(encrypted.encryptionProblem(true)).isEmpty();
        assertThat(encrypted.encryptionProblem(false).orElseThrow()).contains("set tls to on");
        assertThat(RedisServers.EMBEDDED.encryptionProblem(true).orElseThrow()).contains("is not encrypted");
    }

    /** A peer that decrypts stands before a Redis that does not. */
    @ParameterizedTest
    @EnumSource(Tls.class)
    void aConnectionIsEncryptedAsAsked(Tls tls) throws Exception {
        SelfSignedCertificate made = SelfSignedCertificate.make(directory);
        TlsMaterial server =
                TlsMaterial.make(directory, Optional.empty(), Optional.of(made.certificate()), Optional.of(made.key()));
        TlsMaterial trusting =
                TlsMaterial.make(directory, Optional.of(made.certificate()), Optional.empty(), Optional.empty());
        try (RedisServer redis = RedisServers.EMBEDDED.open(directory);
                SSLServerSocket decrypting = (SSLServerSocket) server.context(false)
                        .getServerSocketFactory()
                        .createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            inBackground(() -> {
                while (true) {
                    decrypt(decrypting.accept(), redis.endpoint());
                }
            });
            Endpoint there = redis.endpoint();
            Endpoint encrypted = new Endpoint(
                    "localhost", decrypting.getLocalPort(), "default", there.password(), tls.mode(), trusting, false);
            if (tls == Tls.OFF) {
                assertThatThrownBy(() -> Redis.connect(encrypted, tls, new Traffic()))
                        .isInstanceOf(JedisException.class);
                return;
            }
            Traffic traffic = new Traffic();
            try (Jedis jedis = Redis.connect(encrypted, tls, traffic)) {
                jedis.set("k", "v");
                assertThat(jedis.get("k")).isEqualTo("v");
                assertThat(traffic.bytesIn()).isGreaterThan(500); // the handshake among them
            }
            assertThat(RedisIdentity.read(encrypted).product()).isEqualTo("Redis");
            Endpoint untrusted = new Endpoint(
                    "localhost", encrypted.port(), "default", there.password(), tls.mode(), TlsMaterial.NONE, false);
            if (tls == Tls.ON) {
                Redis.connect(untrusted, tls, new Traffic()).close();
            } else {
                assertThatThrownBy(() -> Redis.connect(untrusted, tls, new Traffic()))
                        .hasMessageContaining("PKIX");
                assertThatThrownBy(() -> RedisIdentity.read(untrusted)).isInstanceOf(ServerException.class);
            }
        }
    }

    /** Whatever the level of its trial: each connection sends the password, to whoever answers. */
    @Test
    void anAddressThatIsVerifiedIsSoForEveryConnection() throws Exception {
        SelfSignedCertificate made = SelfSignedCertificate.make(directory);
        TlsMaterial server =
                TlsMaterial.make(directory, Optional.empty(), Optional.of(made.certificate()), Optional.of(made.key()));
        TlsMaterial trusting =
                TlsMaterial.make(directory, Optional.of(made.certificate()), Optional.empty(), Optional.empty());
        EncodedValues keys = EncodedValues.of(
                Datasets.parse("uuid:4").values(0, 42, 10), Codecs.parse("none"), directory, bytes -> {});
        Design levels = Design.of(Map.of("workload", "membership", "store", "redis", "client", "async", "tls", "on"));
        try (RedisServer redis = RedisServers.EMBEDDED.open(directory);
                SSLServerSocket decrypting = (SSLServerSocket) server.context(false)
                        .getServerSocketFactory()
                        .createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            inBackground(() -> {
                while (true) {
                    decrypt(decrypting.accept(), redis.endpoint());
                }
            });
            Endpoint trusted = new Endpoint(
                    "localhost",
                    decrypting.getLocalPort(),
                    "default",
                    redis.endpoint().password(),
                    SslMode.VERIFY_IDENTITY,
                    trusting,
                    false);
            Endpoint untrusted = new Endpoint(
                    trusted.host(),
                    trusted.port(),
                    trusted.user(),
                    trusted.password(),
                    trusted.sslMode(),
                    TlsMaterial.NONE,
                    false);
            Redis.connect(trusted, Tls.ON, new Traffic()).close();
            assertThatThrownBy(() -> Redis.connect(untrusted, Tls.ON, new Traffic()))
                    .hasMessageContaining("PKIX");

            Workload membership = levels.get(Workload.FACTOR);
            membership.openAsync(new Setup(levels, keys, trusted, "", "t"), 1).close();
            assertThatThrownBy(() -> membership
                            .openAsync(new Setup(levels, keys, untrusted, "", "t"), 1)
                            .close())
                    .hasStackTraceContaining("PKIX");
        }
    }

    private static void decrypt(Socket client, Endpoint redis) throws IOException {
        Socket server = new Socket(redis.host(), redis.port());
        inBackground(() -> copy(client.getInputStream(), server.getOutputStream()));
        inBackground(() -> copy(server.getInputStream(), client.getOutputStream()));
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] some = new byte[4096];
        for (int read = from.read(some); read >= 0; read = from.read(some)) {
            to.write(some, 0, read);
            to.flush();
        }
        to.close();
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void inBackground(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                // the other side has closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
