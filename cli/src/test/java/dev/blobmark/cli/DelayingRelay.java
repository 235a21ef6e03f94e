package dev.blobmark.cli;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A TCP relay before an embedded server, which holds each longer response back for a time. */
final class DelayingRelay implements Closeable {

    private static final int BUFFER_BYTES = 1 << 16;

    private final Endpoint server;
    private final int fromBytes;
    private final long delayNanos;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** @param fromBytes the least length of a response, as it comes from the server in one piece, that is delayed */
    private DelayingRelay(Endpoint server, int fromBytes, Duration delay) throws IOException {
        this.server = server;
        this.fromBytes = fromBytes;
        this.delayNanos = delay.toNanos();
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("relay-accept", this::accept);
    }

    /** Embedded servers behind such a relay. */
    static Servers.Source source(int fromBytes, Duration delay) {
        return (cache, options) -> {
            OwnServer server = new Servers.Embedded(Optional.empty()).open(cache, options);
            try {
                return new Relayed(server, new DelayingRelay(server.endpoint(), fromBytes, delay));
            } catch (IOException e) {
                server.close();
                throw new UncheckedIOException(e);
            }
        };
    }

    private record Relayed(OwnServer server, DelayingRelay relay) implements Server {

        @Override
        public String kind() {
            return server.kind();
        }

        @Override
        public Endpoint endpoint() {
            Endpoint behind = server.endpoint();
            return new Endpoint("127.0.0.1", relay.listener.getLocalPort(), behind.user(), behind.password());
        }

        @Override
        public void close() {
            try {
                relay.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                server.close();
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // by one of the ends, or by close
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket behind = new Socket(server.host(), server.port());
            sockets.add(client);
            sockets.add(behind);
            client.setTcpNoDelay(true);
            behind.setTcpNoDelay(true);
            AtomicBoolean asked = new AtomicBoolean();
            start("relay-requests", () -> {
                try (client;
                        behind) {
                    pass(client.getInputStream(), behind.getOutputStream(), bytes -> asked.set(true));
                }
            });
            start("relay-responses", () -> {
                try (client;
                        behind) {
                    pass(behind.getInputStream(), client.getOutputStream(), bytes -> {
                        // once for each response, of which this is the first piece
                        if (asked.getAndSet(false) && bytes >= fromBytes) {
                            delay();
                        }
                    });
                }
            });
        }
    }

    private interface Before {
        void passing(int bytes);
    }

    private static void pass(InputStream from, OutputStream to, Before before) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int bytes; (bytes = from.read(buffer)) >= 0; ) {
            before.passing(bytes);
            to.write(buffer, 0, bytes);
        }
    }

    private void delay() {
        long end = System.nanoTime() + delayNanos;
        for (long left; (left = end - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
