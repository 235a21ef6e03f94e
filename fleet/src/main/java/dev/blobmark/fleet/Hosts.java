package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.Message;
import dev.blobmark.fleet.host.ViolationException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The hosts of a fleet that have joined. Each has one task of Spark, which connects to this. When one is lost, the
 * tasks of all end, and are started again for the next process.
 */
final class Hosts implements AutoCloseable {

    private static final int HANDSHAKE_MILLIS = 10_000;
    private static final int JOIN_SECONDS = 120;
    private static final int END_MILLIS = 20_000;
    private static final int POLL_MILLIS = 200;
    private static final int REASON_MILLIS = 5_000;

    /** Executors of a scan: lost ones are replaced. */
    private static final int MOST_EXECUTORS_OF_HOST = 16;

    private final Stage stage;
    private final int count;
    private final int endMillis;
    private final int joinSeconds;
    private final Admission admission;
    private final Consumer<String> notices;
    private final Rendezvous rendezvous = new Rendezvous(this::joined);
    private final List<HostConnection> joined = new ArrayList<>();
    private final Map<Integer, Expected> expected = new ConcurrentHashMap<>();
    private final Map<Integer, OpenScan> scans = new ConcurrentHashMap<>();
    private final Object starting = new Object();
    private final AtomicInteger nextNumber = new AtomicInteger();
    private Tasks running = new Tasks(CompletableFuture.completedFuture(null), () -> {}, () -> "");
    private Invitations invitations = new Invitations(0, notice -> {});
    private boolean closed;

    /** Runs a task on each host, all at once. */
    interface Stage {

        /** @param keys receives the keys of the hosts */
        Tasks run(Address blobmark, int count, Consumer<String> keys) throws IOException;
    }

    /**
     * Tasks that were started. Closing them gives up those that still run.
     *
     * @param ended completed when all have ended, exceptionally if one has failed
     * @param end gives them up
     * @param loss why an executor has ended, so that its task was not started; an empty text if none has
     */
    record Tasks(CompletableFuture<Void> ended, Runnable end, Supplier<String> loss) implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    /** A process that a host was asked to start. */
    private record Expected(HostConnection host, CompletableFuture<Channel> channel) {}

    /**
     * @param bind address of this machine that hosts can reach
     * @param scratch directory for temporary files
     * @param notices receives lines for the user
     */
    Hosts(Stage stage, int count, InetAddress bind, Path scratch, Consumer<String> notices) throws IOException {
        this(stage, count, bind, scratch, notices, END_MILLIS, JOIN_SECONDS);
    }

    /**
     * @param endMillis how long tasks may take to end, before they are given up
     * @param joinSeconds within which all hosts must have joined
     */
    Hosts(
            Stage stage,
            int count,
            InetAddress bind,
            Path scratch,
            Consumer<String> notices,
            int endMillis,
            int joinSeconds)
            throws IOException {
        this.joinSeconds = joinSeconds;
        this.stage = stage;
        this.endMillis = endMillis;
        this.count = count;
        this.notices = notices;
        admission = new Admission(bind, count, scratch, this::enter, notices);
    }

    /** Where hosts find this. */
    Address address() {
        return admission.address();
    }

    /** Somebody who has proven to have a key. */
    private void enter(Channel channel, Channel.Joiner caller) throws IOException {
        switch (caller.purpose()) {
            case Channel.CONTROL -> join(channel, caller.key());
            case Channel.PROCESS -> begin(channel, caller);
            case Channel.LOGIN -> login(channel, caller);
            default -> throw new ViolationException("a connection for the unknown purpose " + caller.purpose());
        }
    }

    private void join(Channel channel, String key) throws IOException {
        Invitations now;
        synchronized (this) {
            now = invitations;
        }
        now.use(key);
        channel.admit();
        HostConnection host = HostConnection.greet(key, channel);
        synchronized (this) {
            if (closed || now != invitations) {
                host.close(); // of tasks that were ended meanwhile
                return;
            }
            joined.add(host);
            notifyAll();
        }
    }

    private void begin(Channel channel, Channel.Joiner caller) throws IOException {
        Expected process = expected.get(caller.number());
        boolean isExpected = process != null
                && process.host().key().equals(caller.key())
                && expected.remove(caller.number(), process);
        if (!isExpected) {
            throw new ViolationException("it is not the host that was asked to start the process " + caller.number());
        }
        channel.admit();
        process.channel().complete(channel);
    }

    private void login(Channel channel, Channel.Joiner caller) throws IOException {
        OpenScan scan = scans.get(caller.number());
        if (scan == null) {
            throw new ViolationException("it asks for the login of a scan that does not run");
        }
        scan.invitations.use(caller.key());
        channel.admit();
        channel.send(scan.login);
        channel.close();
    }

    /**
     * Gives executors what they need to connect to a server, each once, as long as this is open.
     *
     * @param login with the password
     */
    OpenScan open(Message.ScanLogin login) {
        OpenScan scan = new OpenScan(login);
        scans.put(scan.number, scan);
        return scan;
    }

    /** The login of a scan. */
    final class OpenScan implements AutoCloseable {
        private final int number = nextNumber.incrementAndGet();
        private final Invitations invitations = new Invitations(MOST_EXECUTORS_OF_HOST * count, notices);
        private final Message.ScanLogin login;

        private OpenScan(Message.ScanLogin login) {
            this.login = login;
        }

        int number() {
            return number;
        }

        /** A key that Spark has passed on. */
        void invite(String key) {
            invitations.add(key);
        }

        @Override
        public void close() {
            scans.remove(number);
        }
    }

    private synchronized List<HostConnection> joined() {
        return List.copyOf(joined);
    }

    /**
     * The hosts, in the order of their names; starts their tasks if they do not run.
     *
     * @throws IOException if not all of them have joined within two minutes, or the tasks have failed
     */
    List<HostConnection> all() throws IOException {
        synchronized (starting) { // while one waits for hosts, the others must not start them too
            return started();
        }
    }

    private synchronized List<HostConnection> started() throws IOException {
        requireOpen();
        joined.removeAll(HostConnection.silent(joined));
        if (running.ended().isDone() || joined.size() < count) {
            joined.forEach(HostConnection::close);
            joined.clear();
            awaitEnd();
            invitations = new Invitations(count, notices);
            running = stage.run(admission.address(), count, invitations::add);
            awaitHosts();
            number();
        }
        return List.copyOf(joined);
    }

    /** Results have the numbers of hosts, and not their names. */
    private void number() {
        joined.sort(Comparator.comparing(host -> host.facts().name()));
        List<String> names = new ArrayList<>();
        for (HostConnection host : joined) {
            host.number(joined.indexOf(host) + 1);
            names.add(host.inWords() + ": " + host.facts().name());
        }
        notices.accept(String.join(", ", names));
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the fleet has been closed");
        }
    }

    private void awaitHosts() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(joinSeconds);
        while (joined.size() < count) {
            requireOpen();
            if (running.ended().isCompletedExceptionally()) {
                throw new IOException("the hosts could not be started: " + failure(running.ended()));
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(joined.size() + " of " + count + " hosts have joined within " + joinSeconds
                        + " s; check that the cluster has " + count
                        + " free executors with a core each, and that they can"
                        + " connect to " + admission.address().host() + ", or give fewer --hosts" + lossInWords()
                        + crowdInWords());
            }
            try {
                wait(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while hosts joined", e);
            }
        }
    }

    private String lossInWords() {
        String loss = running.loss().get();
        return loss.isEmpty() ? "" : "; an executor has ended: " + loss;
    }

    /** Tasks that have failed are over. Those that do not end have lost their connections, and are given up. */
    private void awaitEnd() {
        try {
            running.ended().get(endMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            // who waited for the hosts has its reason
        } catch (TimeoutException e) {
            notices.accept("tasks of hosts have not ended within " + endMillis + " ms and are given up");
        } finally {
            running.close();
        }
    }

    private static String failure(CompletableFuture<Void> failed) {
        return failed.handle((done, e) ->
                        String.valueOf(e.getMessage()).lines().findFirst().orElse(""))
                .join();
    }

    private synchronized Tasks tasks() {
        return running;
    }

    /** Spark says shortly after the loss of connections why it has ended the tasks. */
    private static Optional<String> failureOf(Tasks tasks) {
        try {
            tasks.ended().get(REASON_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            return Optional.of(failure(tasks.ended()));
        } catch (TimeoutException e) {
            // only this connection was lost
        }
        return Optional.empty();
    }

    /** Starts a process on the host with the fewest. */
    RemoteProcess start(String main, List<String> flags, Path errors, boolean isMeasuring) throws IOException {
        int id = nextNumber.incrementAndGet();
        CompletableFuture<Channel> arriving = new CompletableFuture<>();
        HostConnection host;
        Tasks tasks;
        synchronized (starting) {
            host = all().stream()
                    .min(Comparator.comparingInt(HostConnection::processes))
                    .orElseThrow();
            tasks = tasks();
            expected.put(id, new Expected(host, arriving));
            try {
                host.start(new Message.StartProcess(id, main, flags));
            } catch (IOException | RuntimeException e) {
                expected.remove(id);
                throw e;
            }
        }
        boolean hasStarted = false;
        try {
            RemoteProcess process = new RemoteProcess(
                    id,
                    host,
                    arriving.get(HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS),
                    errors,
                    isMeasuring ? Optional.of(rendezvous) : Optional.empty(),
                    () -> failureOf(tasks));
            hasStarted = true;
            return process;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a process was started", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    host.inWords() + " has not started a process within " + HANDSHAKE_MILLIS / 1_000 + " s"
                            + host.reason().map(reason -> ": " + reason).orElse("") + crowdInWords(),
                    e);
        } finally {
            expected.remove(id);
            if (!hasStarted) {
                host.ended();
                arriving.thenAccept(Channel::close); // it may have come too late
            }
        }
    }

    /** See {@link Admission#crowdInWords}. */
    String crowdInWords() {
        return admission.crowdInWords();
    }

    /** Ends the tasks, and what they have started. May be called from any thread. */
    @Override
    public void close() {
        List<HostConnection> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(joined);
            joined.clear();
        }
        all.forEach(HostConnection::end);
        awaitEnd();
        all.forEach(HostConnection::close);
        admission.close();
    }
}
