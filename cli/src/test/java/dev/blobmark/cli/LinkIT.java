package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A link for other programs: it relays, tells where, and ends when it is told to. */
class LinkIT {

    private static final Pattern LISTENING = Pattern.compile(
            "listening on 127\\.0\\.0\\.1:(\\d+), relaying to .* over any 20ms, at most \\d+ connections\n");

    @TempDir
    private Path directory;

    /** Sends back what it gets. */
    private static void echo(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsSentComesBackARoundTripLater() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> echo(server));
            String to = "127.0.0.1:" + server.getLocalPort();
            try (BlobmarkProcess link =
                    BlobmarkProcess.start(directory, "link", "--listen", "0", "--to", to, "--link", "any 20ms")) {
                link.await("it listens", () -> LISTENING.matcher(link.out()).find());
                Matcher at = LISTENING.matcher(link.out());
                assertThat(at.find()).isTrue();
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(at.group(1)))) {
                    long before = System.nanoTime();
                    socket.getOutputStream().write("hello".getBytes());
                    assertThat(socket.getInputStream().readNBytes(5)).isEqualTo("hello".getBytes());
                    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(20_000_000);
                    socket.shutdownOutput();
                    echo.join();
                }
                link.signal("TERM");
                assertThat(link.exitCode()).isEqualTo(143);
                assertThat(link.err()).isEmpty();
            }
        }
    }

    /** Answers each byte with a megabyte, on as many connections as come. */
    private static final class Sender implements AutoCloseable {

        private static final byte[] ANSWER = new byte[1 << 20];

        private final ServerSocket listening = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
        private final AtomicInteger open = new AtomicInteger();

        Sender() throws IOException {
            start(this::accept);
        }

        private static void start(Runnable work) {
            Thread thread = new Thread(work, "sender");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = listening.accept();
                    open.incrementAndGet();
                    start(() -> serve(socket));
                }
            } catch (IOException e) {
                // closed
            }
        }

        private void serve(Socket socket) {
            try (socket) {
                while (socket.getInputStream().read() >= 0) {
                    for (int i = 0; i < 16; i++) {
                        socket.getOutputStream().write(ANSWER);
                    }
                }
            } catch (IOException e) {
                // its client has gone
            } finally {
                open.decrementAndGet();
            }
        }

        String address() {
            return "127.0.0.1:" + listening.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }

    private static int port(BlobmarkProcess link) {
        Pattern listening = Pattern.compile("listening on 127\\.0\\.0\\.1:(\\d+), ");
        link.await("it listens", () -> listening.matcher(link.out()).find());
        Matcher at = listening.matcher(link.out());
        assertThat(at.find()).isTrue();
        return Integer.parseInt(at.group(1));
    }

    /** Connects, asks, and is answered or sees the end; which of both. A client that hangs fails the test. */
    private static boolean isServed(List<Socket> clients, int port) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        clients.add(client);
        client.setSoTimeout(60_000);
        try {
            client.getOutputStream().write(1);
            return client.getInputStream().read() == 0;
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return false; // reset
        }
    }

    private static int served(List<Socket> clients, int port, int connections) throws IOException {
        int served = 0;
        for (int i = 0; i < connections; i++) {
            served += isServed(clients, port) ? 1 : 0;
        }
        return served;
    }

    private static void closeAll(List<Socket> clients) throws IOException {
        for (Socket client : clients) {
            client.close();
        }
        clients.clear();
    }

    /**
     * What the launcher's heap was too small for when each connection took 4 MB: 240 were served, then threads died.
     */
    @Test
    void aPoolOfFourHundredIsServedAndNothingIsLeftOfIt() throws Exception {
        List<Socket> clients = new ArrayList<>();
        try (Sender server = new Sender();
                BlobmarkProcess link = BlobmarkProcess.startAsItIs(
                        directory, "link", "--listen", "0", "--to", server.address(), "--link", "aws")) {
            int port = port(link);
            assertThat(served(clients, port, 400)).isEqualTo(400);
            closeAll(clients);
            link.await("the server has no connection left", () -> server.open.get() == 0);
            assertThat(served(clients, port, 1)).isEqualTo(1);
            assertThat(link.err()).doesNotContain("Exception");
        } finally {
            closeAll(clients);
        }
    }

    @Test
    void connectionsBeyondTheLimitAreRefusedAndCounted() throws Exception {
        List<Socket> clients = new ArrayList<>();
        try (Sender server = new Sender();
                BlobmarkProcess link = BlobmarkProcess.start(
                        directory,
                        "link",
                        "--listen",
                        "0",
                        "--to",
                        server.address(),
                        "--link",
                        "any 1ms",
                        "--max-connections",
                        "3")) {
            int port = port(link);
            assertThat(link.out()).endsWith(" over any 1ms, at most 3 connections\n");
            assertThat(served(clients, port, 5)).isEqualTo(3);
            link.await("it prints them", () -> link.err().contains(", 2 closed at the limit of connections\n"));
        } finally {
            closeAll(clients);
        }
    }

    /**
     * The JDK copies what sockets read through memory outside the heap; here there is enough of it for some
     * connections.
     */
    @Test
    void aLackOfMemoryEndsTheConnectionsThatLackItAndNoOther() throws Exception {
        List<Socket> clients = new ArrayList<>();
        Map<String, String> little = Map.of("JDK_JAVA_OPTIONS", "-XX:MaxDirectMemorySize=2m");
        try (Sender server = new Sender();
                BlobmarkProcess link = BlobmarkProcess.start(
                        directory, little, "link", "--listen", "0", "--to", server.address(), "--link", "aws")) {
            int port = port(link);
            assertThat(served(clients, port, 60)).isBetween(1, 59);
            link.await("it prints why", () -> link.err().contains("ended by an error (java.lang.OutOfMemoryError: "));
            closeAll(clients);
            link.await("the server has no connection left", () -> server.open.get() == 0);
            assertThat(served(clients, port, 1)).isEqualTo(1);
            assertThat(link.err()).doesNotContain("Exception in thread");
        } finally {
            closeAll(clients);
        }
    }

    @Test
    void aLimitThatTheHeapHasNoRoomForIsRefused() throws Exception {
        try (BlobmarkProcess link = BlobmarkProcess.start(
                directory,
                "link",
                "--listen",
                "0",
                "--to",
                "127.0.0.1:1",
                "--link",
                "aws",
                "--max-connections",
                "100000")) {
            assertThat(link.exitCode()).isEqualTo(2);
            assertThat(link.err())
                    .contains("--max-connections: 100000 connections may need a heap of ")
                    .contains("or a larger heap as in BLOBMARK_OPTS=-Xmx4g");
        }
    }
}
