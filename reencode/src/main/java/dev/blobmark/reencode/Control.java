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
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Pauses, resumes, slows down and ends a change while it works: a file whose presence pauses it, and a Unix socket that
 * takes lines, such as {@code echo pause | nc -U SOCKET}. The socket is accessible to its owner only. Any number of
 * clients may be connected.
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

    /** S_IFMT and S_IFSOCK of stat(2). */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;

    private final Optional<Path> pauseFile;
    private final Optional<Path> socketFile;
    private final Optional<ServerSocketChannel> server;
    private final Throttle throttle;
    private final Supplier<String> status;
    private final Set<SocketChannel> clients = ConcurrentHashMap.newKeySet();
    private volatile boolean isPaused;
    private volatile boolean isStopped;

    /**
     * @param pauseFile the work waits while it exists
     * @param socket made here, and removed when this is closed; the socket of a process that ended is replaced
     * @param status what the command answers, on a thread of its own
     * @throws ReencodeException if another process answers at the socket, or a file that is no socket has its name
     */
    Control(Optional<Path> pauseFile, Optional<Path> socket, Throttle throttle, Supplier<String> status)
            throws IOException {
        this.pauseFile = pauseFile;
        this.throttle = throttle;
        this.status = status;
        socketFile = socket;
        server = socket.isPresent() ? Optional.of(listen(socket.get())) : Optional.empty();
        server.ifPresent(channel -> start(() -> accept(channel)));
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "reencode-socket");
        thread.setDaemon(true);
        thread.start();
    }

    private static ServerSocketChannel listen(Path file) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(file);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if ((mode & FILE_TYPE) != SOCKET) {
                throw new ReencodeException(
                        file.toString(), "it exists and is no socket", "name another one with --socket");
            }
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

    private void accept(ServerSocketChannel channel) {
        while (channel.isOpen()) {
            try {
                SocketChannel client = channel.accept();
                start(() -> serve(client));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                // this client is gone; the next one is served
            }
        }
    }

    private void serve(SocketChannel client) {
        clients.add(client);
        try (client;
                BufferedReader lines = new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                client.write(ByteBuffer.wrap((answer(line.strip()) + "\n").getBytes(StandardCharsets.UTF_8)));
            }
        } catch (IOException e) {
            // the client is gone
        } finally {
            clients.remove(client);
        }
    }

    /** Executes a command, and says what it did. */
    String answer(String line) {
        try {
            String[] words = line.split("\\s*=\\s*", 2);
            String value = words.length < 2 ? "" : words[1];
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
                    if (!value.matches("\\d{1,3}")) {
                        return "not understood: speed is '" + value + "'; it is 1 to 100 percent of the time";
                    }
                    throttle.setSpeed(Integer.parseInt(value));
                    return "speed=" + throttle.speed();
                case "max-binlog-rate":
                    long rate = RunLimits.parseBytes(value);
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

    boolean isStopped() {
        return isStopped;
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
                for (SocketChannel client : clients) {
                    client.close();
                }
                Files.deleteIfExists(socketFile.orElseThrow());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
