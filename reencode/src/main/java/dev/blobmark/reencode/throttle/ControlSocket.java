package dev.blobmark.reencode.throttle;

import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.reencode.failure.ReencodeException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import jdk.net.ExtendedSocketOptions;

/**
 * A Unix socket that takes lines from processes of its owner, and answers each. Its file has mode 0600, in a directory
 * in which other users cannot replace it. In addition the system is asked whose process has connected: that of another
 * user is closed before anything is read from it.
 */
public final class ControlSocket implements AutoCloseable {

    /** {@code sun_path} has 108 bytes on Linux and 104 on macOS, and the JDK leaves two of them unused. */
    public static final int MAX_PATH_BYTES =
            System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? 102 : 106;

    /** Each client has a thread. */
    public static final int MAX_CLIENTS = 32;

    /** Longer than any command. */
    public static final int MAX_LINE_BYTES = 1_000;

    /** S_IFMT and S_IFSOCK of stat(2). */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;

    private static final long PAUSE_NANOS = 10_000_000;

    private final Path file;
    private final UserPrincipal owner;
    private final UnaryOperator<String> answers;
    private final ServerSocketChannel server;
    private final Set<SocketChannel> clients = ConcurrentHashMap.newKeySet();

    /**
     * Listens.
     *
     * @param file made here, and removed by {@link #close}; the socket of a process that ended is replaced
     * @param answers to a line without white space at its ends; called on a thread of each client
     * @throws ReencodeException if another process answers at the socket, a file that is no socket has its name, or
     *     {@link #problem} finds something
     */
    ControlSocket(Path file, UnaryOperator<String> answers) throws IOException {
        Optional<String> problem = problem(file);
        if (problem.isPresent()) {
            throw new ReencodeException(file.toString(), problem.get(), "name another one with --socket");
        }
        this.file = file;
        this.answers = answers;
        server = listen(file);
        try {
            owner = Files.getOwner(file, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        start(this::accept);
    }

    /** What makes a path unusable for a socket; found without making anything. */
    public static Optional<String> problem(Path file) {
        int bytes = file.toString().getBytes(Charset.forName(System.getProperty("sun.jnu.encoding"))).length;
        if (bytes > MAX_PATH_BYTES) {
            return Optional.of("the path has " + bytes + " bytes, and that of a Unix socket may have " + MAX_PATH_BYTES
                    + ": name a shorter one, or one relative to the current directory");
        }
        Path directory = Optional.ofNullable(file.getParent()).orElse(Path.of(""));
        try {
            Path real = directory.toRealPath();
            if (!Files.getAttribute(real, "unix:uid").equals(Ownership.user())
                    || Files.getPosixFilePermissions(real).stream().anyMatch(ControlSocket::letsOthersWrite)) {
                return Optional.of("other users can replace a file in " + real
                        + ": name a socket in a directory that is yours, and that nobody else may write (chmod go-w)");
            }
            Optional<String> above = Ownership.problem(directory); // others could rename what is on the way to it
            if (above.isPresent()) {
                return Optional.of(above.get() + ", so that they could replace the directory of the socket: name one"
                        + " in a directory that only you and root can replace");
            }
        } catch (IOException e) {
            return Optional.of("its directory cannot be examined (" + e + "): name a socket in a directory of yours");
        }
        return Optional.empty();
    }

    private static boolean letsOthersWrite(PosixFilePermission permission) {
        return permission == PosixFilePermission.GROUP_WRITE || permission == PosixFilePermission.OTHERS_WRITE;
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

    private void accept() {
        while (server.isOpen()) {
            try {
                admit(server.accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException | OutOfMemoryError e) {
                // this client has gone; or out of files or threads, which may be free soon
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void admit(SocketChannel client) throws IOException {
        boolean isServed = false;
        try {
            if (clients.size() < MAX_CLIENTS && isOfOwner(client)) { // only this thread adds
                clients.add(client);
                start(() -> serve(client));
                isServed = true;
            }
        } finally {
            if (!isServed) {
                clients.remove(client);
                client.close();
            }
        }
    }

    private boolean isOfOwner(SocketChannel client) throws IOException {
        return client.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(owner);
    }

    private void serve(SocketChannel client) {
        try (client) {
            InputStream in = new BufferedInputStream(Channels.newInputStream(client));
            for (Optional<String> line = line(in); line.isPresent(); line = line(in)) {
                String answer = answers.apply(line.get().strip()) + "\n";
                client.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
            }
        } catch (IOException e) {
            // the client has gone
        } finally {
            clients.remove(client);
        }
    }

    /**
     * The next line; empty at the end.
     *
     * @throws IOException if it is longer than {@link #MAX_LINE_BYTES}
     */
    private static Optional<String> line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int read = in.read(); read >= 0; read = in.read()) {
            if (read == '\n') {
                return Optional.of(line.toString(StandardCharsets.UTF_8));
            }
            if (line.size() == MAX_LINE_BYTES) {
                throw new IOException("a line of more than " + MAX_LINE_BYTES + " bytes");
            }
            line.write(read);
        }
        return line.size() == 0 ? Optional.empty() : Optional.of(line.toString(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (SocketChannel client : clients) {
            client.close();
        }
        Files.deleteIfExists(file);
    }
}
