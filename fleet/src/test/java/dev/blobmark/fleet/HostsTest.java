package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.fleet.host.HostKey;
import dev.blobmark.fleet.host.HostTask;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts whose tasks are threads of this JVM: all of a fleet but Spark. */
class HostsTest {

    private static final List<String> CLASS_PATH =
            List.of(System.getProperty("java.class.path").split(File.pathSeparator));

    private static final List<String> FLAGS = List.of("-XX:TieredStopAtLevel=1", "-Xmx64m");

    @TempDir
    private Path directory;

    private final List<Address> addresses = new CopyOnWriteArrayList<>();
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private Hosts hosts;

    /** Echoes its input; the line {@code exit N} ends it with code N. */
    static final class Echo {

        private Echo() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println(ProcessHandle.current().pid());
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("exit ")) {
                    System.err.println("as it was told");
                    System.exit(Integer.parseInt(line.substring(5)));
                }
                System.out.println("heard " + line);
            }
        }
    }

    /** Writes a file, and waits. */
    static final class Keeper {

        private Keeper() {}

        public static void main(String[] arguments) throws IOException {
            Path file = Files.createTempFile("key-", ".pem");
            System.out.println(ProcessHandle.current().pid() + " " + file);
            System.in.read();
        }
    }

    /** Tasks that end by themselves. */
    static Hosts.Tasks ending(CompletableFuture<Void> ended) {
        return new Hosts.Tasks(ended, () -> {}, () -> "");
    }

    private Hosts.Tasks tasks(Address blobmark, int count, Consumer<String> keys) {
        addresses.add(blobmark);
        return ending(CompletableFuture.allOf(IntStream.range(0, count)
                .mapToObj(i -> CompletableFuture.runAsync(
                        () -> {
                            try {
                                new HostTask(blobmark, CLASS_PATH, keys::accept).run();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        task -> {
                            Thread thread = new Thread(task, "host-" + i);
                            thread.setDaemon(true);
                            thread.start();
                        }))
                .toArray(CompletableFuture[]::new)));
    }

    @BeforeEach
    void open() throws IOException {
        hosts = new Hosts(this::tasks, 2, InetAddress.getLoopbackAddress(), directory, notices::add);
    }

    @AfterEach
    void close() {
        hosts.close();
    }

    private RemoteProcess echo(String name) throws IOException {
        return hosts.start(Echo.class.getName(), FLAGS, directory.resolve(name), false);
    }

    private static String ask(RemoteProcess process, String line) throws IOException {
        process.send(line);
        return process.lines().readLine();
    }

    @Test
    void hostsJoinOnceAndSayWhatTheyAre() throws IOException {
        assertThat(hosts.all()).hasSize(2).allSatisfy(host -> {
            assertThat(host.facts().processors()).isPositive();
            assertThat(host.facts().jvm())
                    .contains(Integer.toString(Runtime.version().feature()));
        });
        hosts.all();
        assertThat(addresses).hasSize(1);
    }

    @Test
    void clocksOfOneMachineAreEqualWithinTheirBounds() throws IOException {
        for (HostConnection host : hosts.all()) {
            HostClock clock = host.clock();

            assertThat(Math.abs(clock.aheadNanos())).isLessThanOrEqualTo(clock.boundNanos());
        }
    }

    @Test
    void processesAreDistributedAndTheirLinesPassedOn() throws Exception {
        RemoteProcess one = echo("one");
        RemoteProcess other = echo("other");

        assertThat(hosts.all()).extracting(HostConnection::processes).containsExactly(1, 1);
        assertThat(one.lines().readLine()).matches("\\d+");
        assertThat(other.lines().readLine()).matches("\\d+");
        assertThat(ask(one, "ä € 1")).isEqualTo("heard ä € 1");
        assertThat(ask(other, "2")).isEqualTo("heard 2");
        one.kill();
        other.kill();
        one.waitFor();
        other.waitFor();
        assertThat(hosts.all()).extracting(HostConnection::processes).containsExactly(0, 0);
    }

    /** Each of them would start all hosts otherwise, while the others wait for these. */
    @Test
    void processesThatAreStartedAtTheSameTimeShareTheHosts() throws Exception {
        try (Hosts slow =
                new Hosts(this::tasksThatComeLate, 2, InetAddress.getLoopbackAddress(), directory, notices::add)) {
            List<CompletableFuture<RemoteProcess>> starting = IntStream.range(0, 4)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return slow.start(
                                            Echo.class.getName(), FLAGS, directory.resolve("at-once-" + i), false);
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            },
                            task -> new Thread(task, "start-" + i).start()))
                    .toList();
            for (CompletableFuture<RemoteProcess> each : starting) {
                assertThat(each.get(60, TimeUnit.SECONDS).isAlive()).isTrue();
            }
            assertThat(addresses).hasSize(1);
            assertThat(slow.all()).extracting(HostConnection::processes).containsExactly(2, 2);
        }
    }

    private Hosts.Tasks tasksThatComeLate(Address blobmark, int count, Consumer<String> keys) {
        CompletableFuture<Void> running = new CompletableFuture<>();
        Thread late = new Thread(
                () -> {
                    try {
                        TimeUnit.SECONDS.sleep(1);
                        tasks(blobmark, count, keys).ended().join();
                        running.complete(null);
                    } catch (InterruptedException | RuntimeException e) {
                        running.completeExceptionally(e);
                    }
                },
                "late");
        late.setDaemon(true);
        late.start();
        return ending(running);
    }

    @Test
    void theEndOfAProcessIsPassedOnWithWhatItPrinted() throws Exception {
        RemoteProcess process = echo("errors");
        process.lines().readLine();
        ask(process, "exit 7");

        assertThat(process.waitFor()).isEqualTo(7);
        assertThat(process.isAlive()).isFalse();
        assertThat(Files.readString(directory.resolve("errors"))).contains("as it was told");
    }

    @Test
    void aProcessEndsWithItsConnection() throws Exception {
        RemoteProcess process = echo("killed");
        long pid = Long.parseLong(process.lines().readLine());
        process.kill();

        assertThat(process.waitFor()).isEqualTo(137);
        assertThat(Files.readString(directory.resolve("killed")))
                .contains("host ", "has lost the connection of its process");
        assertGone(pid);
    }

    /** Spark ends the tasks of all hosts when one does not answer any more. */
    @Test
    void theReasonForWhichAllTasksHaveEndedIsNamed() throws Exception {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Hosts.Stage stage = (address, count, keys) -> {
            tasks(address, count, keys);
            return ending(ended);
        };
        try (Hosts failing = new Hosts(stage, 1, InetAddress.getLoopbackAddress(), directory, notices::add)) {
            RemoteProcess process = failing.start(Echo.class.getName(), FLAGS, directory.resolve("failing"), false);
            HostConnection host = failing.all().get(0);
            ended.completeExceptionally(new IOException("the executor of another host does not answer"));
            host.close();

            process.waitFor();
            assertThat(Files.readString(directory.resolve("failing")))
                    .contains("the tasks of all hosts have ended: the executor of another host does not answer");
        }
    }

    /** Such as a copy of a private key. */
    @Test
    void filesOfAProcessAreRemovedWhenItIsKilled() throws Exception {
        RemoteProcess process = hosts.start(Keeper.class.getName(), FLAGS, directory.resolve("keeper"), false);
        String[] words = process.lines().readLine().split(" ");
        Path file = Path.of(words[1]);
        assertThat(file).exists();
        ProcessHandle.of(Long.parseLong(words[0])).orElseThrow().destroyForcibly();

        assertThat(process.waitFor()).isEqualTo(137);
        assertThat(file).doesNotExist();
    }

    @Test
    void processesEndWithTheFleet() throws Exception {
        RemoteProcess process = echo("ended");
        long pid = Long.parseLong(process.lines().readLine());
        hosts.close();

        assertGone(pid);
        assertThatThrownBy(() -> echo("late")).hasMessage("the fleet has been closed");
    }

    private static void assertGone(long pid) throws Exception {
        var process = ProcessHandle.of(pid);
        if (process.isPresent()) {
            process.get().onExit().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void aHostKnowsBlobmarkByItsCertificate() throws IOException {
        hosts.all();
        try (Hosts others = new Hosts(this::tasks, 1, InetAddress.getLoopbackAddress(), directory, notices::add)) {
            others.all();
            Address mixed = new Address(
                    addresses.get(0).host(),
                    addresses.get(0).port(),
                    addresses.get(1).certificate());
            assertThatThrownBy(() -> Channel.connect(mixed, HostKey.make(), Channel.CONTROL, 0))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void nobodyWaitsForHostsOfAFleetThatIsClosed() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Void> tasks = new CompletableFuture<>();
        Hosts none = new Hosts(
                (address, count, keys) -> {
                    asked.countDown();
                    return ending(tasks);
                },
                2,
                InetAddress.getLoopbackAddress(),
                directory,
                notices::add);
        CompletableFuture<Throwable> waiting = CompletableFuture.supplyAsync(
                () -> catchThrowable(none::all), task -> new Thread(task, "waiting").start());
        asked.await();
        tasks.complete(null); // otherwise, their end would be waited for
        none.close();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).hasMessage("the fleet has been closed");
    }

    /** A driver of Spark that hangs is given up before the next one starts. */
    @Test
    void tasksThatDoNotEndAreGivenUpBeforeOthersAreStarted() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        Hosts.Stage stage = (address, count, keys) -> {
            order.add("begin");
            Hosts.Tasks working = tasks(address, count, keys);
            return new Hosts.Tasks(
                    new CompletableFuture<>(),
                    () -> {
                        order.add("end");
                        working.close();
                    },
                    () -> "");
        };
        try (Hosts hanging = new Hosts(stage, 1, InetAddress.getLoopbackAddress(), directory, notices::add, 100, 120)) {
            hanging.all().get(0).close();
            hanging.all();

            assertThat(order).containsExactly("begin", "end", "begin");
        }
    }

    /** Spark starts another executor for each one that ends, so the tasks themselves do not fail. */
    @Test
    void theReasonOfAnExecutorIsNamedIfHostsDoNotJoin() throws IOException {
        Hosts.Stage stage = (address, count, keys) ->
                new Hosts.Tasks(new CompletableFuture<>(), () -> {}, () -> "others may write to /work");
        try (Hosts none = new Hosts(stage, 2, InetAddress.getLoopbackAddress(), directory, notices::add, 100, 1)) {
            assertThatThrownBy(none::all)
                    .hasMessageContaining("0 of 2 hosts have joined within 1 s")
                    .hasMessageEndingWith("an executor has ended: others may write to /work");
        }
    }

    @Test
    void theReasonWhyHostsCannotBeStartedIsNamed() throws IOException {
        try (Hosts none = new Hosts(
                (address, count, keys) -> ending(CompletableFuture.failedFuture(new IOException("no executors"))),
                2,
                InetAddress.getLoopbackAddress(),
                directory,
                notices::add)) {
            assertThatThrownBy(none::all)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("could not be started")
                    .hasMessageContaining("no executors");
        }
    }
}
