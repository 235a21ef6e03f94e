package dev.blobmark.fleet.host;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What a task of Spark does on a host: it starts processes for Blobmark and passes on their lines. The processes have a
 * class path of their own, without Spark. They end with the connection to Blobmark.
 */
public final class HostTask {

    private static final long END_MILLIS = 10_000;

    /** Variables by which Spark gives its executors secrets. */
    private static final String SECRETS_OF_SPARK = "_SPARK_";

    private final Address blobmark;
    private final List<String> classPath;
    private final Registration registration;

    /** How Blobmark learns a key. */
    public interface Registration {

        /** Returns when the key is on its way to Blobmark. */
        void register(String key) throws IOException;
    }

    /** @param classPath of processes */
    public HostTask(Address blobmark, List<String> classPath, Registration registration) {
        this.blobmark = blobmark;
        this.classPath = List.copyOf(classPath);
        this.registration = registration;
    }

    /** Serves Blobmark until it sends {@link Message.EndTask} or is gone. */
    public void run() throws IOException {
        Map<Integer, Channel> processes = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        HostKey key = HostKey.make();
        registration.register(key.text());
        HostDirectory directory = HostDirectory.make();
        try (Channel control = Channel.connect(blobmark, key, Channel.CONTROL, 0)) {
            control.send(new Message.Hello(HostFacts.here()));
            while (true) {
                Message.HostOrder order = control.receive(Message.HostOrder.READER);
                if (order instanceof Message.Ping ping) {
                    control.send(new Message.Pong(ping.number(), HostClock.now()));
                } else if (order instanceof Message.StartProcess start) {
                    Thread serving =
                            new Thread(() -> serve(start, key, directory.path(), processes), "process-" + start.id());
                    serving.setDaemon(true);
                    serving.start();
                    threads.add(serving);
                } else {
                    return;
                }
            }
        } catch (EOFException e) {
            throw new IOException("Blobmark is gone", e);
        } finally {
            processes.values().forEach(Channel::close);
            clean(threads, directory);
        }
    }

    private static void clean(List<Thread> threads, HostDirectory directory) {
        try {
            for (Thread thread : threads) {
                thread.join(END_MILLIS);
            }
            directory.close();
        } catch (IOException e) {
            // the next task on this host removes the rest
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Message.StartProcess start, HostKey key, Path directory, Map<Integer, Channel> processes) {
        try (Channel channel = Channel.connect(blobmark, key, Channel.PROCESS, start.id())) {
            processes.put(start.id(), channel);
            try {
                Path values = Files.createDirectories(directory.resolve("values"));
                Path own = Files.createDirectories(directory.resolve("process-" + start.id()));
                channel.send(new Message.ProcessReady(values.toString()));
                serve(channel, start, own, values);
            } catch (IOException e) {
                channel.send(new Message.NotStarted(reason(e)));
            }
        } catch (IOException e) {
            // Blobmark sees that the connection is closed
        } finally {
            processes.remove(start.id());
        }
    }

    private static String reason(IOException e) {
        String reason = e.getClass().getSimpleName() + ": " + e.getMessage();
        return reason.substring(0, Math.min(1_000, reason.length()));
    }

    private void serve(Channel channel, Message.StartProcess start, Path own, Path values) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                HostFacts.javaHere().toString(),
                "-XX:+DisplayVMOutputToStderr",
                "-Djava.io.tmpdir=" + own,
                "-XX:-UsePerfData"));
        command.addAll(start.flags());
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), start.main()));
        Path errors = own.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith(SECRETS_OF_SPARK));
        Process process = builder.start();
        Failure failure = new Failure();
        try {
            Thread orders = new Thread(() -> passOn(channel, process, values, failure), "orders-" + start.id());
            orders.setDaemon(true);
            orders.start();
            answer(channel, process);
            int code = process.waitFor();
            failure.rethrow();
            byte[] printed = Files.readAllBytes(errors);
            end(process, own); // before others know of its end
            channel.send(new Message.ProcessEnded(
                    code,
                    Arrays.copyOfRange(
                            printed, Math.max(0, printed.length - Message.MOST_PRINTED_BYTES), printed.length)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(process, own);
        }
    }

    /** What a process has written, a copy of a private key among it, is not kept longer than the process. */
    private static void end(Process process, Path own) {
        process.destroyForcibly();
        try {
            if (process.waitFor(END_MILLIS, TimeUnit.MILLISECONDS)) {
                HostDirectory.delete(own);
            }
        } catch (IOException e) {
            // the end of the task removes the rest
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Why the host has ended a process, if it has. */
    private static final class Failure {
        private volatile IOException reason;

        void set(IOException e) {
            reason = e;
        }

        void rethrow() throws IOException {
            if (reason != null) {
                throw new IOException(reason.getMessage(), reason);
            }
        }
    }

    /** Passes lines on, and keeps files. The end of the connection is that of the process. */
    private static void passOn(Channel channel, Process process, Path values, Failure failure) {
        try (OutputStream orders = process.getOutputStream()) {
            while (true) {
                Message.Input input = channel.receive(Message.Input.READER);
                if (input instanceof Message.ProcessLine line) {
                    orders.write((line.text() + "\n").getBytes(StandardCharsets.UTF_8));
                    orders.flush();
                } else if (input instanceof Message.FileBegin file) {
                    receiveFile(channel, file, values);
                } else {
                    throw new ViolationException("a part of a file that has not begun");
                }
            }
        } catch (IOException e) {
            failure.set(e);
            process.destroyForcibly();
        }
    }

    /** Another process of this host may receive the same file at the same time. */
    private static void receiveFile(Channel channel, Message.FileBegin file, Path values) throws IOException {
        Path place = values.resolve(file.name()).normalize();
        if (!place.startsWith(values)) {
            throw new ViolationException("a file outside of its directory: " + place);
        }
        Files.createDirectories(place.getParent());
        Path part = Files.createTempFile(place.getParent(), "part-", "");
        try (OutputStream out = Files.newOutputStream(part)) {
            for (long left = file.length(); left > 0; ) {
                if (!(channel.receive(Message.Input.READER) instanceof Message.FilePart next)
                        || next.content().length == 0
                        || next.content().length > left) {
                    throw new ViolationException("something else than the next part of a file");
                }
                out.write(next.content());
                left -= next.content().length;
            }
        }
        Files.move(part, place, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void answer(Channel channel, Process process) throws IOException {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                channel.send(new Message.ProcessLine(line));
            }
        }
    }
}
