package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Channel;
import dev.blobmark.fleet.host.Frames;
import dev.blobmark.fleet.host.HostClock;
import dev.blobmark.lab.engine.TrialRun;
import dev.blobmark.lab.fork.ForkMessage;
import dev.blobmark.lab.fork.ForkOrder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A JVM on another host, as if it were one of this machine. For a measuring JVM, what is valid on one machine only is
 * translated: files of values are sent to the host, and times are those of this machine. Measuring JVMs that get the
 * order to begin a window within a moment begin it at the same instant.
 */
final class RemoteProcess extends Process {

    private static final int PIPE_BYTES = 1 << 20;

    /** The exit code when the connection is lost: that of a process that was killed. */
    private static final int LOST = 137;

    private final int id;
    private final Host host;
    private final Channel channel;
    private final Path errors;
    private final Optional<Rendezvous> rendezvous;
    private final String valuesOnHost;
    private final PipedInputStream messages = new PipedInputStream(PIPE_BYTES);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean countsAtHost = new AtomicBoolean(true);
    private final Set<String> sent = new HashSet<>();
    private List<String> valuesHere = List.of();
    private volatile boolean usesServer;
    private volatile int exitCode;

    /**
     * @param errors receives what the process printed, when it has ended
     * @param rendezvous of measuring JVMs; empty for a process whose lines are passed on as they are
     */
    RemoteProcess(int id, Host host, Channel channel, Path errors, Optional<Rendezvous> rendezvous) throws IOException {
        this.id = id;
        this.host = host;
        this.channel = channel;
        this.errors = errors;
        this.rendezvous = rendezvous;
        valuesOnHost = channel.in().readUTF();
        PipedOutputStream out = new PipedOutputStream(messages);
        Thread receiving = new Thread(() -> receive(out), "fleet-process-" + id);
        receiving.setDaemon(true);
        receiving.start();
    }

    private void receive(PipedOutputStream out) {
        int code = LOST;
        byte[] printed =
                ("the connection to the host " + host.facts().name() + " was lost\n").getBytes(StandardCharsets.UTF_8);
        try (out) {
            while (channel.in().readByte() == Frames.LINE) {
                String line = new String(Frames.readBytes(channel.in()), StandardCharsets.UTF_8);
                out.write((translated(line) + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            code = channel.in().readInt();
            printed = Frames.readBytes(channel.in());
        } catch (IOException e) {
            // the connection is lost, or was closed to kill the process
        } finally {
            end(code, printed);
        }
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

    /** A message with the time of this machine, and with what the host knows. */
    private String translated(String line) throws IOException {
        if (rendezvous.isPresent() && ForkMessage.ofLine(line) instanceof ForkMessage.Finished end) {
            HostClock clock = rendezvous.get().clock(host);
            TrialRun run =
                    end.run().startedAt(clock.blobmarkTime(end.run().span().startedAt()), clock.boundNanos());
            return new ForkMessage.Finished(
                            usesServer ? HostLimits.flagged(run, host.facts(), Math.max(1, host.processes())) : run)
                    .toLine();
        }
        return line;
    }

    /** Sends an order; one that begins a window, with the agreed instant in the host's time. */
    private void send(String line) throws IOException {
        if (rendezvous.isEmpty()) {
            pass(line);
            return;
        }
        ForkOrder order = ForkOrder.ofLine(line);
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
        channel.out().writeByte(Frames.LINE);
        Frames.writeBytes(channel.out(), (line + "\n").getBytes(StandardCharsets.UTF_8));
        channel.out().flush();
    }

    /**
     * The order without what is valid on this machine only: numbers of processes, and the file by which its processes
     * share an emulated link. Each process of a fleet has a link of its own.
     */
    private ForkOrder.Measure onHost(ForkOrder.Measure order) throws IOException {
        sendFile(order.values());
        usesServer = order.place().isPresent();
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
            channel.out().writeByte(Frames.FILE);
            channel.out().writeUTF(name);
            channel.out().writeLong(bytes);
            if (Files.copy(file, channel.out()) != bytes) {
                throw new IOException(file + " has changed while it was sent");
            }
        }
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            private final ByteArrayOutputStream line = new ByteArrayOutputStream();

            @Override
            public void write(int one) throws IOException {
                if (one == '\n') {
                    String complete = line.toString(StandardCharsets.UTF_8);
                    line.reset();
                    send(complete);
                } else {
                    line.write(one);
                }
            }

            @Override
            public void close() {
                channel.close();
            }
        };
    }

    @Override
    public InputStream getInputStream() {
        return messages;
    }

    @Override
    public InputStream getErrorStream() {
        return InputStream.nullInputStream();
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
    public int exitValue() {
        if (isAlive()) {
            throw new IllegalThreadStateException("it has not ended");
        }
        return exitCode;
    }

    @Override
    public boolean isAlive() {
        return ended.getCount() > 0;
    }

    /** Of this fleet, not of the host. */
    @Override
    public long pid() {
        return id;
    }

    @Override
    public void destroy() {
        channel.close();
    }

    @Override
    public Process destroyForcibly() {
        destroy();
        return this;
    }
}
