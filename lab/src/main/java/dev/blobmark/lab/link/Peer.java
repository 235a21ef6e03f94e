package dev.blobmark.lab.link;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The far end of a connection, over plain sockets. Each request is a number, and is answered with that many bytes. The
 * peer records the times of the first and the last request. It does not use links, so it measures what one really
 * delivers.
 *
 * <p>It serves this process only. It listens on the loopback interface while {@link #connect} opens a connection, and
 * accepts only that one, which it recognizes by the address of its other end. Any other connection is closed before
 * anything is read from it or allocated for it.
 */
public final class Peer implements AutoCloseable {

    private static final byte[] BYTES = new byte[1 << 16];

    /** Connections that may wait in front of the own one. */
    private static final int BACKLOG = 64;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Set<Socket> served = ConcurrentHashMap.newKeySet();
    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong lastNanos = new AtomicLong(Long.MIN_VALUE);

    /**
     * A plain socket to the peer.
     *
     * @throws IOException if the peer cannot listen, or others connect so often that the own connection is not accepted
     *     within 10 s
     */
    public Socket connect() throws IOException {
        return connect(address -> {});
    }

    /** @param listening gets the address before the own connection is opened */
    Socket connect(Consumer<InetSocketAddress> listening) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        Socket socket = new Socket();
        try (ServerSocket server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
            listening.accept((InetSocketAddress) server.getLocalSocketAddress());
            socket.connect(server.getLocalSocketAddress(), (int) TIMEOUT.toMillis());
            socket.setTcpNoDelay(true);
            serve(accept(server, socket.getLocalSocketAddress(), deadline));
            return socket;
        } catch (IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    private static Socket accept(ServerSocket server, SocketAddress from, long deadline) throws IOException {
        while (true) {
            long leftMillis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (leftMillis <= 0) {
                throw new SocketTimeoutException("the peer of the link got only connections of other processes for "
                        + TIMEOUT.toSeconds() + " s");
            }
            server.setSoTimeout((int) leftMillis);
            Socket accepted = server.accept();
            if (accepted.getRemoteSocketAddress().equals(from)) {
                return accepted;
            }
            accepted.close();
        }
    }

    private void serve(Socket socket) throws IOException {
        served.add(socket);
        socket.setTcpNoDelay(true);
        Thread serving = new Thread(() -> answer(socket), "peer-connection");
        serving.setDaemon(true);
        serving.start();
    }

    /** Resets the times of the first and the last request. */
    public void begin() {
        firstNanos.set(Long.MAX_VALUE);
        lastNanos.set(Long.MIN_VALUE);
    }

    /** Seconds between the first request since {@link #begin} and the last. */
    public double seconds() {
        return (lastNanos.get() - firstNanos.get()) / 1e9;
    }

    private void answer(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            for (long left = in.readLong(); left >= 0; left = in.readLong()) {
                long now = System.nanoTime();
                firstNanos.accumulateAndGet(now, Math::min);
                lastNanos.accumulateAndGet(now, Math::max);
                for (; left > 0; left -= Math.min(left, BYTES.length)) {
                    out.write(BYTES, 0, (int) Math.min(left, BYTES.length));
                }
            }
        } catch (IOException e) {
            // closed by the other end
        } finally {
            served.remove(socket);
        }
    }

    /** Closes all connections. */
    @Override
    public void close() throws IOException {
        for (Socket socket : served) {
            socket.close();
        }
    }
}
