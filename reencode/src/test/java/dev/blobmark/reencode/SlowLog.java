package dev.blobmark.reencode;

import dev.blobmark.lab.server.source.Servers;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.server.Server;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Passes connections on to a server, without TLS; the log that it sends can be held back. */
final class SlowLog implements AutoCloseable {

    private static final int BUFFER = 1 << 16;

    /** Commands that ask for the log, after a length and the number 0. */
    private static final Set<Byte> DUMPS = Set.of((byte) 0x12, (byte) 0x1e);

    private final Endpoint to;
    private final ServerSocket port;
    private final List<Passed> all = new CopyOnWriteArrayList<>();

    /** One connection. */
    private static final class Passed {
        private final Socket client;
        private final Socket server;
        private volatile boolean isLog;
        private volatile CountDownLatch held = new CountDownLatch(0);

        Passed(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void start() {
            new Thread(() -> pass(client, server, true)).start();
            new Thread(() -> pass(server, client, false)).start();
        }

        private void pass(Socket from, Socket to, boolean isAsking) {
            byte[] buffer = new byte[BUFFER];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    isLog |= isAsking && length > 4 && buffer[3] == 0 && DUMPS.contains(buffer[4]);
                    if (!isAsking) {
                        held.await();
                    }
                    out.write(buffer, 0, length);
                }
            } catch (IOException | InterruptedException e) {
                // it has ended
            }
        }
    }

    SlowLog(Endpoint to) throws IOException {
        this.to = to;
        port = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(() -> {
            try {
                while (true) {
                    Passed passed = new Passed(port.accept(), new Socket(to.host(), to.port()));
                    all.add(passed);
                    passed.start();
                }
            } catch (IOException e) {
                // closed
            }
        });
        accepting.setDaemon(true);
        accepting.start();
    }

    /** Holds back what is sent to those who read the log now. */
    CountDownLatch hold() {
        CountDownLatch released = new CountDownLatch(1);
        List<Passed> logs = new ArrayList<>(all);
        logs.removeIf(passed -> !passed.isLog);
        logs.forEach(passed -> passed.held = released);
        if (logs.isEmpty()) {
            throw new AssertionError("nobody reads the log");
        }
        return released;
    }

    Servers.Source source() {
        return (directory, options) -> new Server() {
            @Override
            public String kind() {
                return "address";
            }

            @Override
            public Endpoint endpoint() {
                return new Endpoint("127.0.0.1", port.getLocalPort(), to.user(), to.password());
            }

            @Override
            public boolean isOwn() {
                return false;
            }

            @Override
            public void close() {
                // others use it
            }
        };
    }

    @Override
    public void close() throws IOException {
        port.close();
        for (Passed passed : all) {
            passed.held.countDown();
            passed.client.close();
            passed.server.close();
        }
    }
}
