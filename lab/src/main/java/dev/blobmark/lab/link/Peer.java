package dev.blobmark.lab.link;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The far end of a connection, over plain sockets. Each request is a number, and is answered with that many bytes. The
 * peer records the times of the first and the last request. It does not use links, so it measures what one really
 * delivers.
 */
public final class Peer implements AutoCloseable {

    private static final byte[] BYTES = new byte[1 << 16];

    private final ServerSocket listening = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong lastNanos = new AtomicLong(Long.MIN_VALUE);

    /** @throws IOException if it cannot listen on a port of the loopback interface */
    public Peer() throws IOException {
        Thread accepting = new Thread(this::accept, "peer");
        accepting.setDaemon(true);
        accepting.start();
    }

    /** A plain socket to the peer. */
    public Socket connect() throws IOException {
        Socket socket = new Socket(listening.getInetAddress(), listening.getLocalPort());
        socket.setTcpNoDelay(true);
        return socket;
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

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                socket.setTcpNoDelay(true);
                Thread serving = new Thread(() -> serve(socket), "peer-connection");
                serving.setDaemon(true);
                serving.start();
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
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
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
