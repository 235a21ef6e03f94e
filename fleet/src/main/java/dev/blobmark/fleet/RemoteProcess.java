package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.fleet.host.Message;
import dev.blobmark.fleet.host.ViolationException;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.lab.fork.ForkOrder;
import dev.blobmark.lab.fork.StartedJvm;
import dev.blobmark.lab.measurement.WarmUp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A JVM on another host. For a measuring JVM, what is valid on one machine only is translated: files of values are sent
 * to the host, and times are those of this machine. Measuring JVMs that get the order to begin a window within a moment
 * begin it at the same instant.
 */
final class RemoteProcess implements StartedJvm {

    private static final int PIPE_BYTES = 1 << 20;

    /** The exit code when the connection is lost: that of a process that was killed. */
    private static final int LOST = 137;

    private static final int READY_MILLIS = 10_000;

    private final int id;
    private final HostConnection host;
    private final Channel channel;
    private final Path errors;
    private final Optional<Rendezvous> rendezvous;
    private final Supplier<Optional<String>> endOfTasks;
    private final String valuesOnHost;
    private final PipedInputStream messages = new PipedInputStream(PIPE_BYTES);
    private final BufferedReader lines = new BufferedReader(new InputStreamReader(messages, StandardCharsets.UTF_8));
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean countsAtHost = new AtomicBoolean(true);
    private final Set<String> sent = new HashSet<>();
    private List<String> valuesHere = List.of();
    private volatile Instant begun = Instant.now();
    private volatile int threads = 1;
    private volatile boolean usesServer;
    private volatile Optional<String> lost = Optional.empty();
    private volatile int exitCode;
    private volatile boolean isClosedHere;

    /**
     * @param errors receives what the process printed, when it has ended
     * @param rendezvous of measuring JVMs; empty for a process whose lines are passed on as they are
     * @param endOfTasks why the tasks of all hosts have ended; waits a moment for it, and is empty if they have not
     */
    RemoteProcess(
            int id,
            HostConnection host,
            Channel channel,
            Path errors,
            Optional<Rendezvous> rendezvous,
            Supplier<Optional<String>> endOfTasks)
            throws IOException {
        this.endOfTasks = endOfTasks;
        this.id = id;
        this.host = host;
        this.channel = channel;
        this.errors = errors;
        this.rendezvous = rendezvous;
        valuesOnHost = greeted();
        PipedOutputStream out = new PipedOutputStream(messages);
        Thread receiving = new Thread(() -> receive(out), "fleet-process-" + id);
        receiving.setDaemon(true);
        receiving.start();
    }

    /** The directory of values on the host. */
    private String greeted() throws IOException {
        try {
            channel.setPatience(READY_MILLIS);
            Message.ProcessOutput first = channel.receive(Message.ProcessOutput.READER);
            if (first instanceof Message.NotStarted failed) {
                throw new IOException(
                        host.inWords() + " could not prepare a process: " + HostTexts.shown(failed.reason()));
            }
            if (!(first instanceof Message.ProcessReady ready)) {
                throw new ViolationException("a line before its greeting");
            }
            channel.setPatience(0);
            return ready.values();
        } catch (ViolationException e) {
            host.leave("it sent " + e.getMessage());
            channel.close();
            throw e;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void receive(PipedOutputStream out) {
        try (out) {
            Message.ProcessOutput message = channel.receive(Message.ProcessOutput.READER);
            while (message instanceof Message.ProcessLine line) {
                out.write((translated(line.text()) + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
                message = channel.receive(Message.ProcessOutput.READER);
            }
            if (message instanceof Message.ProcessEnded end) {
                end(end.code(), HostTexts.printed(end.printed()));
            } else if (message instanceof Message.NotStarted failed) {
                lose("could not serve its process: " + failed.reason());
            } else {
                throw new ViolationException("a greeting again");
            }
        } catch (ViolationException e) {
            host.leave("it sent " + e.getMessage());
            lose("sent " + e.getMessage());
        } catch (IOException e) { // or it was closed to kill the process
            String what = host.reason()
                    .map(why -> "has left: " + why)
                    .orElseGet(() -> "has lost the connection of its process: "
                            + (e.getMessage() == null ? "it was closed" : e.getMessage()));
            Optional<String> end = isClosedHere ? Optional.empty() : endOfTasks.get();
            lose(what
                    + end.map(why -> "; the tasks of all hosts have ended: " + why)
                            .orElse(""));
        } finally {
            if (isAlive()) {
                lose("could not be heard any more");
            }
        }
    }

    private void lose(String what) {
        String words = host.inWords() + " " + HostTexts.shown(what);
        lost = Optional.of(words);
        end(LOST, (words + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public Optional<String> host() {
        return Optional.of(host.inWords());
    }

    @Override
    public Optional<String> lost() {
        return lost;
    }

    private void end(int code, byte[] printed) {
        try {
            Files.write(errors, printed);
        } catch (IOException e) {
            // its directory was deleted, because the process is not wanted any more
        }
        exitCode = code;
        if (countsAtHost.getAndSet(false)) {
            host.ended();
        }
        channel.close();
        ended.countDown();
    }

    /**
     * A message with the time of this machine, and with what the host knows.
     *
     * @throws ViolationException if it is not a message of a measuring JVM
     */
    private String translated(String line) throws IOException {
        if (rendezvous.isEmpty()) {
            return line;
        }
        try {
            return HostTexts.message(line) instanceof ForkMessage.Finished end
                    ? new ForkMessage.Finished(checked(end.run())).toLine()
                    : line;
        } catch (RuntimeException e) { // Jackson's, a record's that refuses its content, or of a figure that is missing
            throw new ViolationException("a line that is not a message: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }

    /** The run by the clock of this machine; without figures, if they contradict each other. */
    private TrialRun checked(TrialRun run) throws IOException {
        HostClock after = host.clock();
        // visits have no agreed instant; the last one may be of a window long before
        HostClock before =
                run.visits().isPresent() ? after : rendezvous.orElseThrow().clock(host);
        HostClock clock = after.since(before);
        Instant now = Instant.now();
        TrialRun here = run.startedAt(before.blobmarkTime(run.span().startedAt()), clock.boundNanos());
        Optional<String> contradiction = HostFigures.contradiction(here, host.facts(), threads, begun, now);
        if (contradiction.isPresent()) {
            String reason = host.inWords() + " contradicts itself: " + contradiction.get();
            host.leave(reason);
            return TrialRun.failed(reason, new WarmUp(0, false));
        }
        if (usesServer) {
            here = HostLimits.flagged(here, host.facts(), Math.max(1, host.processes()));
        }
        long moved = clock.movedNanos(before);
        return moved <= HostFigures.mostDriftNanos(before, after, Duration.between(begun, now))
                ? here
                : here.disturbed(String.format(
                        Locale.ROOT,
                        "the clock of %s moved by %.1f ms meanwhile, so it is not known when its window began",
                        host.inWords(),
                        moved / 1e6));
    }

    /** Sends an order; one that begins a window, with the agreed instant in the host's time. */
    @Override
    public void send(String line) throws IOException {
        if (rendezvous.isEmpty()) {
            pass(line);
            return;
        }
        ForkOrder order = ForkOrder.ofLine(line);
        if (order instanceof ForkOrder.Measure) { // trials that stay open are visited in turns, since the process began
            begun = Instant.now();
        }
        if (order instanceof ForkOrder.Begin begin) {
            valuesHere = begin.valuesDirectories();
            pass(new ForkOrder.Begin(List.of(valuesOnHost)).toLine());
        } else if (order instanceof ForkOrder.Measure measure) {
            pass(onHost(measure).toLine());
        } else if (order instanceof ForkOrder.Open open) {
            pass(new ForkOrder.Open(open.number(), onHost(open.how())).toLine());
        } else if (order instanceof ForkOrder.Go) {
            pass(new ForkOrder.Go(Optional.of(rendezvous.get().hostTime(host))).toLine());
        } else {
            pass(line);
        }
    }

    private void pass(String line) throws IOException {
        send(new Message.ProcessLine(line));
    }

    /** A host that does not read any more is none. */
    private void send(Message message) throws IOException {
        try {
            channel.send(message);
        } catch (SocketTimeoutException e) {
            host.leave(e.getMessage());
            throw e;
        }
    }

    /**
     * The order without what is valid on this machine only: numbers of processes, and the file by which its processes
     * share an emulated link. Each process of a fleet has a link of its own.
     */
    private ForkOrder.Measure onHost(ForkOrder.Measure order) throws IOException {
        sendFile(order.values());
        usesServer = order.place().isPresent();
        threads = Math.max(threads, order.share().count());
        return new ForkOrder.Measure(
                order.trial(),
                order.values(),
                order.place().map(place -> place.withServerPids(List.of())),
                order.share(),
                Optional.empty(),
                order.codePath(),
                order.window(),
                order.warmUp(),
                order.seed());
    }

    /** Sends a file of values, once. */
    private void sendFile(String name) throws IOException {
        if (sent.add(name)) {
            Path file = valuesHere.stream()
                    .map(directory -> Path.of(directory, name))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow(() -> new IOException("encoded values " + name + " are in none of the directories"));
            long bytes = Files.size(file);
            send(new Message.FileBegin(name, bytes));
            try (InputStream in = Files.newInputStream(file)) {
                for (long left = bytes; left > 0; ) {
                    byte[] part = in.readNBytes((int) Math.min(left, Message.PART_BYTES));
                    if (part.length == 0) {
                        throw new IOException(file + " has changed while it was sent");
                    }
                    send(new Message.FilePart(part));
                    left -= part.length;
                }
            }
        }
    }

    @Override
    public void endInput() {
        kill();
    }

    @Override
    public BufferedReader lines() {
        return lines;
    }

    @Override
    public int waitFor() throws InterruptedException {
        ended.await();
        return exitCode;
    }

    @Override
    public boolean waitFor(long time, TimeUnit unit) throws InterruptedException {
        return ended.await(time, unit);
    }

    @Override
    public int exitCode() {
        if (isAlive()) {
            throw new IllegalThreadStateException("it has not ended");
        }
        return exitCode;
    }

    boolean isAlive() {
        return ended.getCount() > 0;
    }

    /** Of this fleet, not of the host. */
    @Override
    public long pid() {
        return id;
    }

    @Override
    public void kill() {
        isClosedHere = true;
        channel.close();
    }
}
