package dev.blobmark.reencode;

import dev.blobmark.lab.admission.RunLimits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Pauses, resumes, slows down and ends a change while it works: a file whose presence pauses it, and a Unix socket that
 * takes lines, such as {@code echo pause | nc -U SOCKET}. The socket is accessible to its owner only.
 */
final class Control implements Signal, AutoCloseable {

    static final String HELP = """
            status                what was done, and why it waits
            pause, resume         wait until resumed
            speed=PERCENT         share of the time in which it works, 1 to 100
            max-binlog-rate=SIZE  bytes of the binary log in a second; 0 for no limit
            stop                  end after this transaction; the same command continues
            help                  these lines
            """;

    private final Optional<Path> pauseFile;
    private final Optional<Path> socketFile;
    private final Optional<ServerSocketChannel> server;
    private final Throttle throttle;
    private final Supplier<String> status;
    private volatile boolean isPaused;
    private volatile boolean isStopped;

    /**
     * @param pauseFile the work waits while it exists
     * @param socket made here, and removed when this is closed; the file of a process that ended is replaced
     * @param status what the command answers
     */
    Control(Optional<Path> pauseFile, Optional<Path> socket, Throttle throttle, Supplier<String> status)
            throws IOException {
        this.pauseFile = pauseFile;
        this.throttle = throttle;
        this.status = status;
        socketFile = socket;
        server = socket.isPresent() ? Optional.of(listen(socket.get())) : Optional.empty();
        server.ifPresent(channel -> {
            Thread thread = new Thread(() -> serve(channel), "reencode-socket");
            thread.setDaemon(true);
            thread.start();
        });
    }

    private static ServerSocketChannel listen(Path file) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(file);
        if (Files.exists(file)) {
            if (isAnswering(address)) {
                throw new ReencodeException(
                        file.toString(), "another process answers at this socket", "name another one with --socket");
            }
            Files.delete(file);
        }
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(address);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    private static boolean isAnswering(UnixDomainSocketAddress address) {
        try {
            SocketChannel.open(address).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void serve(ServerSocketChannel channel) {
        while (channel.isOpen()) {
            try (SocketChannel client = channel.accept();
                    BufferedReader lines = new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    client.write(ByteBuffer.wrap((answer(line.strip()) + "\n").getBytes(StandardCharsets.UTF_8)));
                }
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                // this client is gone; the next one is served
            }
        }
    }

    /** Executes a command, and says what it did. */
    String answer(String line) {
        try {
            String[] words = line.split("\\s*=\\s*", 2);
            switch (words[0]) {
                case "status":
                    return status.get();
                case "pause", "throttle":
                    isPaused = true;
                    return "paused";
                case "resume", "no-throttle":
                    isPaused = false;
                    return "resumed";
                case "stop":
                    stop();
                    return "it ends after this transaction";
                case "help":
                    return HELP.stripTrailing();
                case "speed":
                    throttle.setSpeed(Integer.parseInt(words.length < 2 ? "" : words[1]));
                    return "speed=" + throttle.speed();
                case "max-binlog-rate":
                    long rate = RunLimits.parseBytes(words.length < 2 ? "" : words[1]);
                    throttle.setBinlogRate(rate == 0 ? OptionalLong.empty() : OptionalLong.of(rate));
                    return "max-binlog-rate=" + rate;
                default:
                    return "unknown command '" + line + "'; help lists all";
            }
        } catch (IllegalArgumentException e) {
            return "not understood: " + e.getMessage();
        }
    }

    /** Ends the work soon. Any thread may call it. */
    void stop() {
        isStopped = true;
    }

    @Override
    public Optional<String> reasonToWait() {
        if (isStopped) {
            throw new StoppedException("stopped");
        }
        if (isPaused) {
            return Optional.of("by command; 'resume' continues");
        }
        return pauseFile.filter(Files::exists).map(file -> "the file " + file + " exists");
    }

    @Override
    public void close() {
        try {
            if (server.isPresent()) {
                server.get().close();
                Files.deleteIfExists(socketFile.orElseThrow());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
