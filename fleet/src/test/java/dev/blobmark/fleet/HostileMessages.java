package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.fleet.host.HostFacts;
import dev.blobmark.fleet.host.HostKey;
import dev.blobmark.fleet.host.Message;
import dev.blobmark.fleet.host.RawHost;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A host that sends anything, in each state of the protocol. Each message must end its connection or be answered as the
 * protocol says, within a deadline; nothing may throw, hang, or get a figure accepted that contradicts others.
 *
 * <p>{@code HostileMessages MESSAGES [SEED]} prints how many were sent in which state, and exits with 1 if one did more
 * than fail. Most of the time is spent waiting for deadlines, so several fleets are attacked side by side.
 */
final class HostileMessages implements AutoCloseable {

    private static final int DEADLINE_SECONDS = 60;
    private static final int FLEETS = 48;
    private static final int REPORTED = 10_000;
    private static final long WINDOW_NANOS = 1_000_000;

    /** In one of ten messages with a line, the message is wrong; in the others, the line. */
    private static final int FRAMES = 10;

    private final SplittableRandom random;
    private final Path directory;
    private final Hosts hosts;
    private final Map<State, Integer> sent = new EnumMap<>(State.class);
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private volatile Script script = (address, key) -> {};
    private int accepted;
    private int failed;

    /** Where in the protocol. */
    enum State {
        NOT_ENCRYPTED,
        NOT_PROVEN,
        WRONG_PROOF,
        BEFORE_GREETING,
        ANSWERS,
        BEFORE_READY,
        LINES
    }

    /** What the only host of the fleet does. */
    private interface Script {
        void run(Address address, HostKey key) throws Exception;
    }

    HostileMessages(Path directory, long seed) throws IOException {
        this.directory = directory;
        random = new SplittableRandom(seed);
        hosts = new Hosts(this::tasks, 1, InetAddress.getLoopbackAddress(), directory, notice -> {});
    }

    public static void main(String[] arguments) throws Exception {
        int messages = Integer.parseInt(arguments[0]);
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        Result total = Result.NONE;
        while (total.count() < messages && total.violations().isEmpty()) {
            total = total.plus(sideBySide(Math.min(REPORTED, messages - total.count()), seed + total.count()));
            System.out.println(total.summary());
        }
        total.violations().forEach(System.out::println);
        System.exit(total.violations().isEmpty() ? 0 : 1);
    }

    /** At least as many messages, to several fleets at once. */
    static Result sideBySide(int messages, long seed) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(FLEETS);
        try {
            List<Future<Result>> fleets = new ArrayList<>();
            for (int i = 0; i < FLEETS; i++) {
                long own = seed * FLEETS + i;
                fleets.add(threads.submit(() -> {
                    Path directory = Files.createTempDirectory("blobmark-hostile-");
                    try (HostileMessages fleet = new HostileMessages(directory, own)) {
                        fleet.send((messages + FLEETS - 1) / FLEETS);
                        return fleet.result();
                    } finally {
                        Trees.delete(directory);
                    }
                }));
            }
            Result total = Result.NONE;
            for (Future<Result> fleet : fleets) {
                total = total.plus(fleet.get());
            }
            return total;
        } finally {
            threads.shutdownNow();
        }
    }

    /** What came of the messages. */
    record Result(Map<State, Integer> sent, int accepted, int refused, List<String> violations) {

        static final Result NONE = new Result(Map.of(), 0, 0, List.of());

        int count() {
            return sent.values().stream().mapToInt(n -> n).sum();
        }

        Result plus(Result other) {
            Map<State, Integer> both = new EnumMap<>(State.class);
            both.putAll(sent);
            other.sent.forEach((state, number) -> both.merge(state, number, Integer::sum));
            List<String> all = new ArrayList<>(violations);
            all.addAll(other.violations);
            return new Result(both, accepted + other.accepted, refused + other.refused, all);
        }

        String summary() {
            return String.format(
                    Locale.ROOT,
                    "%,d hostile messages: %s; %d results accepted as they were, %d refused; runs that ended, hung or"
                            + " accepted a contradiction: %d",
                    count(),
                    sent,
                    accepted,
                    refused,
                    violations.size());
        }
    }

    private Result result() {
        List<String> all = new ArrayList<>(violations);
        if (all.isEmpty()) {
            stillWorks().ifPresent(all::add);
        }
        return new Result(sent, accepted, failed, all);
    }

    private Hosts.Tasks tasks(Address address, int count, Consumer<String> keys) {
        CompletableFuture<Void> task = new CompletableFuture<>();
        Script of = script;
        Thread thread = new Thread(
                () -> {
                    try {
                        HostKey key = HostKey.make();
                        keys.accept(key.text());
                        of.run(address, key);
                        task.completeExceptionally(new IOException("the task has ended"));
                    } catch (Throwable e) {
                        task.completeExceptionally(e);
                    }
                },
                "hostile");
        thread.setDaemon(true);
        thread.start();
        return HostsTest.ending(task);
    }

    private int count() {
        return sent.values().stream().mapToInt(n -> n).sum();
    }

    /** Sends messages until there are as many. */
    private void send(int messages) throws Exception {
        while (count() < messages) {
            State state = State.values()[random.nextInt(State.values().length)];
            SplittableRandom own = random.split();
            CompletableFuture<Void> done = new CompletableFuture<>();
            Thread attempt = new Thread(
                    () -> {
                        try {
                            attempt(state, own);
                            done.complete(null);
                        } catch (Throwable e) {
                            done.completeExceptionally(e);
                        }
                    },
                    "attempt");
            attempt.setDaemon(true);
            attempt.start();
            try {
                done.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                violations.add(state + ": " + e.getCause());
            } catch (TimeoutException e) {
                violations.add(state + ": hangs");
                return;
            }
        }
    }

    private void count(State state) {
        sent.merge(state, 1, Integer::sum);
    }

    private void attempt(State state, SplittableRandom of) throws Exception {
        switch (state) {
            case NOT_ENCRYPTED -> {
                try (RawHost stranger = RawHost.plain(hosts.address())) {
                    count(state);
                    stranger.write(bytes(of, 1 + of.nextInt(400)));
                    stranger.write(bytes(of, 600)); // longer than what a record would wait for
                }
            }
            case NOT_PROVEN -> {
                try (RawHost stranger = RawHost.encrypted(hosts.address())) {
                    count(state);
                    stranger.write(bytes(of, 113 + of.nextInt(400)));
                    stranger.awaitEnd();
                }
            }
            case WRONG_PROOF -> {
                byte purpose = of.nextBoolean() ? Channel.PROCESS : (byte) of.nextInt();
                if (purpose != Channel.CONTROL) { // that one is waited for: Spark may still pass its key on
                    try (RawHost stranger = RawHost.signed(hosts.address(), HostKey.make(), purpose, of.nextInt())) {
                        count(state);
                        stranger.awaitEnd();
                    }
                }
            }
            case BEFORE_GREETING ->
                withHost(state, of, (address, key) -> {
                    try (RawHost host = RawHost.admitted(address, key, Channel.CONTROL, 0)) {
                        count(state);
                        host.write(mutated(of, new Message.Hello(HostFacts.here()), 1));
                        host.awaitEnd();
                    }
                });
            case ANSWERS ->
                withHost(state, of, (address, key) -> {
                    try (RawHost host = RawHost.admitted(address, key, Channel.CONTROL, 0)) {
                        host.write(RawHost.frame(1, new Message.Hello(HostFacts.here())));
                        int good = of.nextInt(20);
                        for (int number = 2; ; number++) {
                            byte[] ping = host.read();
                            long asked = ByteBuffer.wrap(ping).getLong(1);
                            Message.Pong pong = new Message.Pong(asked, HostClock.now());
                            if (number - 2 < good) {
                                host.write(RawHost.frame(number, pong));
                            } else {
                                count(state);
                                host.write(mutated(of, pong, number));
                            }
                        }
                    }
                });
            case BEFORE_READY ->
                process(state, of, (host, number) -> {
                    count(state);
                    host.write(mutated(of, new Message.ProcessReady(directory.toString()), number));
                    host.awaitEnd();
                });
            default ->
                process(state, of, (host, number) -> {
                    host.write(RawHost.frame(number, new Message.ProcessReady(directory.toString())));
                    int good = of.nextInt(3);
                    for (int i = 1; i <= good; i++) {
                        host.write(RawHost.frame(number + i, new Message.ProcessLine(honest())));
                    }
                    count(state);
                    host.write(
                            of.nextInt(FRAMES) == 0
                                    ? mutated(of, new Message.ProcessLine(honest()), number + good + 1)
                                    : RawHost.frame(number + good + 1, new Message.ProcessLine(result(of))));
                    host.write(RawHost.frame(number + good + 2, new Message.ProcessEnded(0, new byte[0])));
                    host.awaitEnd();
                });
        }
    }

    /** The fleet asks its only host, which must fail or answer. */
    private void withHost(State state, SplittableRandom of, Script what) throws Exception {
        script = what;
        try {
            for (HostConnection host : hosts.all()) {
                host.clock();
                host.clock();
            }
        } catch (IOException e) {
            // the host has failed, with a reason
        }
        closeAll();
    }

    private void closeAll() {
        script = (address, key) -> {};
        try {
            hosts.all().forEach(HostConnection::close);
        } catch (IOException e) {
            // it has no host
        }
    }

    private interface ProcessScript {
        void run(RawHost process, int number) throws Exception;
    }

    private void process(State state, SplittableRandom of, ProcessScript what) throws Exception {
        script = (address, key) -> {
            try (RawHost host = RawHost.admitted(address, key, Channel.CONTROL, 0)) {
                host.write(RawHost.frame(1, new Message.Hello(HostFacts.here())));
                for (int number = 2; ; ) {
                    ByteBuffer order = ByteBuffer.wrap(host.read());
                    if (order.get() == 1) {
                        host.write(RawHost.frame(number++, new Message.Pong(order.getLong(), HostClock.now())));
                    } else if (order.get(0) == 2) {
                        int id = order.getInt();
                        Thread serving = new Thread(() -> serve(address, key, id, what), "hostile-process");
                        serving.setDaemon(true);
                        serving.start();
                    } else {
                        return;
                    }
                }
            }
        };
        try {
            RemoteProcess process = hosts.start("Main", List.of(), directory.resolve("errors"), true);
            try (BufferedReader lines = process.lines()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    judge(line);
                }
            }
            process.waitFor();
        } catch (IOException e) {
            // the process has failed, with a reason
        }
        closeAll();
    }

    private void serve(Address address, HostKey key, int id, ProcessScript what) {
        try (RawHost process = RawHost.admitted(address, key, Channel.PROCESS, id)) {
            what.run(process, 1);
        } catch (Exception e) {
            // Blobmark has closed it
        }
    }

    /** What Blobmark would take for a result. */
    private void judge(String line) {
        if (!(ForkMessage.ofLine(line) instanceof ForkMessage.Finished end)) {
            return;
        }
        TrialRun run = end.run();
        TrialRun honest = HostFiguresTest.honest(Instant.EPOCH, WINDOW_NANOS);
        if (run.operations().isEmpty()) {
            failed++;
        } else if (run.latency().equals(honest.latency())
                && run.operations().keySet().equals(honest.operations().keySet())
                && run.operations().get("fetch").count() == 400
                && run.operations()
                        .get("fetch")
                        .latency()
                        .equals(honest.operations().get("fetch").latency())
                && isNear(
                        run.operations().get("fetch").operationsPerSecond(),
                        honest.operations().get("fetch").operationsPerSecond())) {
            accepted++;
        } else {
            violations.add("accepted: " + line);
        }
    }

    private static boolean isNear(double one, double other) {
        return one > other / 2 && one < other * 2;
    }

    private static String honest() {
        return new ForkMessage.Finished(HostFiguresTest.honest(Instant.now().minusNanos(WINDOW_NANOS), WINDOW_NANOS))
                .toLine();
    }

    /** A result with a figure that is another one, or text that is not JSON. */
    private static String result(SplittableRandom of) {
        String line = honest();
        return switch (of.nextInt(5)) {
            case 0 -> line.substring(0, of.nextInt(line.length()));
            case 1 -> line.replaceFirst("\"count\":400", "\"count\":" + of.nextLong());
            case 2 -> figure(of, line);
            case 3 -> new String(bytes(of, of.nextInt(300)), StandardCharsets.ISO_8859_1).replace('\n', ' ');
            default -> {
                StringBuilder flipped = new StringBuilder(line);
                int at = of.nextInt(line.length());
                flipped.setCharAt(at, (char) (line.charAt(at) ^ 1 << of.nextInt(6)));
                yield flipped.toString().replace('\n', ' ');
            }
        };
    }

    /** Any number of the line becomes another one. */
    private static String figure(SplittableRandom of, String line) {
        List<int[]> numbers = new ArrayList<>();
        java.util.regex.Matcher matcher =
                java.util.regex.Pattern.compile("(?<=[:\\[,])-?\\d[\\d.E+-]*").matcher(line);
        while (matcher.find()) {
            numbers.add(new int[] {matcher.start(), matcher.end()});
        }
        int[] place = numbers.get(of.nextInt(numbers.size()));
        List<String> others = List.of(
                "-1",
                "0",
                "1e300",
                "-1e300",
                "9223372036854775807",
                "-9223372036854775808",
                "null",
                "\"\\u001b[2J\"",
                "[]",
                "{}");
        return line.substring(0, place[0]) + others.get(of.nextInt(others.size())) + line.substring(place[1]);
    }

    private static byte[] bytes(SplittableRandom of, int number) {
        byte[] bytes = new byte[number];
        of.nextBytes(bytes);
        return bytes;
    }

    /** A message with another length, number, type or content. Never as it should be. */
    private static byte[] mutated(SplittableRandom of, Message message, int number) {
        byte[] content = message.content();
        int length = Long.BYTES + 1 + content.length;
        return switch (of.nextInt(7)) {
            case 0 ->
                RawHost.frame(List.of(0, -1, 8, Integer.MIN_VALUE).get(of.nextInt(4)), number, message.type(), content);
            case 1 -> RawHost.frame(Integer.MAX_VALUE - of.nextInt(1000), number, message.type(), content);
            case 2 -> RawHost.frame(length, number + 1 + of.nextInt(1000), message.type(), content);
            case 3 -> RawHost.frame(length, number, (byte) (100 + of.nextInt(28)), content);
            case 4 -> {
                byte[] longer = java.util.Arrays.copyOf(content, content.length + 1 + of.nextInt(10));
                yield message instanceof Message.ProcessLine
                        ? RawHost.frame(length, number, (byte) 127, content)
                        : RawHost.frame(Long.BYTES + 1 + longer.length, number, message.type(), longer);
            }
            case 5 -> {
                byte[] other = bytes(of, 1 + of.nextInt(200));
                yield RawHost.frame(Long.BYTES + 1 + other.length, number - 1, message.type(), other);
            }
            default -> {
                byte[] shorter = java.util.Arrays.copyOf(content, Math.max(0, content.length - 1 - of.nextInt(8)));
                yield message instanceof Message.ProcessLine
                        ? RawHost.frame(length, number, (byte) 99, content)
                        : RawHost.frame(Long.BYTES + 1 + shorter.length, number, message.type(), shorter);
            }
        };
    }

    /** After all of it, an honest host is still admitted. */
    private Optional<String> stillWorks() {
        script = (address, key) -> {
            try (RawHost host = RawHost.admitted(address, key, Channel.CONTROL, 0)) {
                host.write(RawHost.frame(1, new Message.Hello(HostFacts.here())));
                host.awaitEnd();
            }
        };
        try {
            return hosts.all().size() == 1 ? Optional.empty() : Optional.of("not one host");
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
    }

    @Override
    public void close() {
        hosts.close();
    }
}
