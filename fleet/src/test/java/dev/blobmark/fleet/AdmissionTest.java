package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.fleet.host.HostKey;
import dev.blobmark.fleet.host.Message;
import dev.blobmark.fleet.host.RawHost;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may join a run, and what those can do who may not. */
class AdmissionTest {

    private static final int PLACES = 20;

    @TempDir
    private Path directory;

    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final List<HostKey> keys = new CopyOnWriteArrayList<>();
    private volatile Consumer<String> spark;
    private Hosts hosts;

    @BeforeEach
    void open() throws IOException {
        hosts = new Hosts(this::tasks, 2, InetAddress.getLoopbackAddress(), directory, notices::add);
    }

    @AfterEach
    void close() {
        hosts.close();
    }

    /** Two hosts that greet, and answer pings. */
    private Hosts.Tasks tasks(Address address, int count, Consumer<String> passOn) {
        spark = passOn;
        CompletableFuture<Void> running = new CompletableFuture<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            HostKey key = HostKey.make();
                            keys.add(key);
                            passOn.accept(key.text());
                            try (Channel control = Channel.connect(address, key, Channel.CONTROL, 0)) {
                                control.send(new Message.Hello(HostFacts.here()));
                                while (control.receive(Message.HostOrder.READER) instanceof Message.Ping ping) {
                                    control.send(
                                            new Message.Pong(ping.number(), System.currentTimeMillis() * 1_000_000));
                                }
                            }
                            running.complete(null);
                        } catch (IOException e) {
                            running.completeExceptionally(e);
                        }
                    },
                    "host-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        return HostsTest.ending(running);
    }

    private void assertRefused(HostKey key, byte purpose, int number, String reason) {
        assertThatThrownBy(() ->
                        Channel.connect(hosts.address(), key, purpose, number).close())
                .isInstanceOf(IOException.class);
        assertThat(notices).anySatisfy(notice -> assertThat(notice).contains("127.0.0.1", reason));
    }

    @Test
    void aKeyThatSparkHasNotPassedOnAdmitsNobody() throws IOException {
        hosts.all();
        assertRefused(HostKey.make(), Channel.CONTROL, 0, "its key was not passed on by Spark");
        assertThat(hosts.all()).hasSize(2);
    }

    @Test
    void aKeyAdmitsOnce() throws IOException {
        hosts.all();
        assertRefused(keys.get(0), Channel.CONTROL, 0, "its key was not passed on by Spark");
        assertThat(hosts.all()).hasSize(2);
    }

    @Test
    void aRunWhoseHostsAreCompleteAdmitsNobody() throws IOException {
        hosts.all();
        HostKey third = HostKey.make();
        spark.accept(third.text());

        assertThat(notices).contains("refused the key of a further host: there have been 2");
        assertRefused(third, Channel.CONTROL, 0, "its key was not passed on by Spark");
        assertThat(hosts.all()).hasSize(2);
    }

    @Test
    void aProcessIsOfTheHostThatWasAsked() throws IOException {
        hosts.all();
        assertRefused(keys.get(0), Channel.PROCESS, 1, "it is not the host that was asked");
        assertRefused(HostKey.make(), (byte) 77, 1, "the unknown purpose 77");
    }

    /** Each executor gets it once, and nobody else. */
    @Test
    void aLoginIsForExecutorsOfTheScan() throws Exception {
        Message.ScanLogin login =
                new Message.ScanLogin("jdbc:x", Map.of("password", "secret"), Map.of("key", new byte[] {1}));
        HostKey executor = HostKey.make();
        int number;
        try (Hosts.OpenScan scan = hosts.open(login)) {
            number = scan.number();
            scan.invite(executor.text());
            try (RawHost host = RawHost.admitted(hosts.address(), executor, Channel.LOGIN, number)) {
                assertThat(new String(host.read(), java.nio.charset.StandardCharsets.ISO_8859_1))
                        .contains("secret");
            }
            assertRefused(executor, Channel.LOGIN, number, "its key was not passed on by Spark");
        }
        assertRefused(executor, Channel.LOGIN, number, "a scan that does not run");
        assertThat(login).hasToString("jdbc:x");
    }

    /** A signature of another challenge is one for another connection. */
    @Test
    void aProofCannotBeUsedAgain() throws IOException {
        HostKey key = HostKey.make();
        try (RawHost replayed = RawHost.encrypted(hosts.address())) {
            replayed.write(RawHost.proof(key, new byte[32], hosts.address(), Channel.CONTROL, 0));
            replayed.awaitEnd();
        }
        assertThat(notices).anySatisfy(notice -> assertThat(notice).contains("signature of the challenge"));
    }

    /** They hold a fixed number of places, and hosts join although all are taken. */
    @Test
    void silentConnectionsCostNothingMore() throws Exception {
        List<RawHost> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 20 * PLACES; i++) {
                silent.add(RawHost.plain(hosts.address()));
            }
            assertThat(hosts.all()).hasSize(2);
            for (RawHost each : silent.subList(0, 19 * PLACES)) {
                each.awaitEnd();
            }
            assertThat(notices).anySatisfy(notice -> assertThat(notice).contains("too many connections at once"));
            assertThat(hosts.crowdInWords()).matches("; \\d+ connections were refused, because too many came at once");
        } finally {
            for (RawHost each : silent) {
                each.close();
            }
        }
    }

    /** An answer that comes after its deadline is not that of the next question. */
    @Test
    void aLateAnswerIsDropped() throws Exception {
        CompletableFuture<Void> mayAnswer = new CompletableFuture<>();
        try (Hosts slow = new Hosts(
                (address, count, passOn) -> late(address, passOn, mayAnswer),
                1,
                InetAddress.getLoopbackAddress(),
                directory,
                notices::add)) {
            HostConnection host = slow.all().get(0);
            assertThatThrownBy(host::clock).hasMessageContaining("has not answered");
            mayAnswer.complete(null);
            for (int i = 0; i < 3; i++) {
                assertThat(host.clock().aheadNanos())
                        .isBetween(-TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(1));
            }
        }
    }

    /** Answers the first ping late, with the time of then. */
    private static Hosts.Tasks late(Address address, Consumer<String> passOn, CompletableFuture<Void> mayAnswer) {
        CompletableFuture<Void> running = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        HostKey key = HostKey.make();
                        passOn.accept(key.text());
                        try (Channel control = Channel.connect(address, key, Channel.CONTROL, 0)) {
                            control.send(new Message.Hello(HostFacts.here()));
                            boolean isFirst = true;
                            while (control.receive(Message.HostOrder.READER) instanceof Message.Ping ping) {
                                long now = System.currentTimeMillis() * 1_000_000;
                                if (isFirst) {
                                    mayAnswer.join();
                                }
                                isFirst = false;
                                control.send(new Message.Pong(ping.number(), now));
                            }
                        }
                        running.complete(null);
                    } catch (IOException e) {
                        running.completeExceptionally(e);
                    }
                },
                "late");
        thread.setDaemon(true);
        thread.start();
        return HostsTest.ending(running);
    }
}
