package dev.blobmark.fleet.host;

import java.io.BufferedReader;
import java.io.DataInputStream;
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

/**
 * What a task of Spark does on a host: it starts processes for Blobmark and passes on their lines. The processes have a
 * class path of their own, without Spark. They end with the connection to Blobmark.
 */
public final class HostTask {

    private static final int ERROR_BYTES = 64 << 10;

    private static final long END_MILLIS = 10_000;

    private final Address blobmark;
    private final List<String> classPath;

    /** @param classPath of processes */
    public HostTask(Address blobmark, List<String> classPath) {
        this.blobmark = blobmark;
        this.classPath = classPath;
    }

    /** Serves Blobmark until it sends {@link Frames#END} or is gone. */
    public void run() throws IOException {
        Map<Integer, Channel> processes = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        Path directory = Files.createTempDirectory("blobmark-host-");
        try (Channel control = Channel.connect(blobmark, Channel.CONTROL)) {
            HostFacts.here().write(control.out());
            control.out().flush();
            for (byte order = control.in().readByte();
                    order != Frames.END;
                    order = control.in().readByte()) {
                if (order == Frames.PING) {
                    control.out().writeLong(HostClock.now());
                    control.out().flush();
                } else if (order == Frames.START) {
                    Frames.Start start = Frames.Start.read(control.in());
                    Thread serving = new Thread(() -> serve(start, directory, processes), "process-" + start.id());
                    serving.setDaemon(true);
                    serving.start();
                    threads.add(serving);
                } else {
                    throw new IOException("an unknown order: " + order);
                }
            }
        } catch (EOFException e) {
            throw new IOException("Blobmark is gone", e);
        } finally {
            processes.values().forEach(Channel::close);
            clean(threads, directory);
        }
    }

    private static void clean(List<Thread> threads, Path directory) {
        try {
            for (Thread thread : threads) {
                thread.join(END_MILLIS);
            }
            Directories.delete(directory);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // a process that does not end keeps its files; the directory is one of the system's temporary ones
        }
    }

    private void serve(Frames.Start start, Path directory, Map<Integer, Channel> processes) {
        try (Channel channel = Channel.connect(blobmark, Channel.PROCESS)) {
            processes.put(start.id(), channel);
            Path values = Files.createDirectories(directory.resolve("values"));
            channel.out().writeInt(start.id());
            channel.out().writeUTF(values.toString());
            channel.out().flush();
            serve(channel, start, Files.createDirectories(directory.resolve("process-" + start.id())), values);
        } catch (IOException e) {
            // Blobmark sees that the connection is closed
        } finally {
            processes.remove(start.id());
        }
    }

    private void serve(Channel channel, Frames.Start start, Path own, Path values) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                HostFacts.javaHere().toString(),
                "-XX:+DisplayVMOutputToStderr",
                "-Djava.io.tmpdir=" + own,
                "-XX:-UsePerfData"));
        command.addAll(start.flags());
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), start.main()));
        Path errors = own.resolve("errors");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        try {
            Thread orders = new Thread(() -> passOn(channel, process, values), "orders-" + start.id());
            orders.setDaemon(true);
            orders.start();
            answer(channel, process);
            int code = process.waitFor();
            byte[] printed = Files.readAllBytes(errors);
            channel.out().writeByte(Frames.CLOSED);
            channel.out().writeInt(code);
            Frames.writeBytes(
                    channel.out(),
                    Arrays.copyOfRange(printed, Math.max(0, printed.length - ERROR_BYTES), printed.length));
            channel.out().flush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Passes orders on, and keeps files. The end of the connection is that of the process. */
    private static void passOn(Channel channel, Process process, Path values) {
        DataInputStream in = channel.in();
        try (OutputStream orders = process.getOutputStream()) {
            for (byte kind = in.readByte(); kind != Frames.CLOSED; kind = in.readByte()) {
                if (kind == Frames.FILE) {
                    receiveFile(in, values);
                } else {
                    orders.write(Frames.readBytes(in));
                    orders.flush();
                }
            }
        } catch (IOException e) {
            process.destroyForcibly();
        }
    }

    /** Another process of this host may receive the same file at the same time. */
    private static void receiveFile(DataInputStream in, Path values) throws IOException {
        Path place = values.resolve(in.readUTF()).normalize();
        if (!place.startsWith(values)) {
            throw new IOException("a file outside of its directory: " + place);
        }
        Files.createDirectories(place.getParent());
        Path part = Files.createTempFile(place.getParent(), "part-", "");
        try (OutputStream out = Files.newOutputStream(part)) {
            byte[] buffer = new byte[64 << 10];
            for (long left = in.readLong(); left > 0; ) {
                int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (read < 0) {
                    throw new EOFException();
                }
                out.write(buffer, 0, read);
                left -= read;
            }
        }
        Files.move(part, place, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void answer(Channel channel, Process process) throws IOException {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                channel.out().writeByte(Frames.LINE);
                Frames.writeBytes(channel.out(), line.getBytes(StandardCharsets.UTF_8));
                channel.out().flush();
            }
        }
    }
}
