package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Links between real sockets. These tests check that a link is never faster than its numbers; {@code LinkDelivery} in
 * {@code bench/evidence} measures how close it comes to them.
 */
@Timeout(60)
class SharedLinkTest {

    /** Answers each request, a length, with that many bytes, which follow from the length. Ends at a request of -1. */
    private static final class Peer implements AutoCloseable {

        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<CompletableFuture<Void>> served = new ArrayList<>();

        Peer() throws IOException {}

        Socket connect() throws IOException {
            Socket client = new Socket(listening.getInetAddress(), listening.getLocalPort());
            client.setTcpNoDelay(true);
            Socket accepted = listening.accept();
            accepted.setTcpNoDelay(true);
            served.add(CompletableFuture.runAsync(() -> serve(accepted)));
            return client;
        }

        private static void serve(Socket socket) {
            try (socket) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                for (int length = in.readInt(); length >= 0; length = in.readInt()) {
                    socket.getOutputStream().write(answer(length));
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        static byte[] answer(int length) {
            byte[] bytes = new byte[length];
            new SplittableRandom(length).nextBytes(bytes);
            return bytes;
        }

        @Override
        public void close() throws IOException {
            listening.close();
            served.forEach(CompletableFuture::join);
        }
    }

    private static byte[] request(int length) {
        return new byte[] {(byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length};
    }

    /** Asks for an answer, reads it in pieces of many sizes, and returns how long it took. */
    private static long ask(SharedLink.Streams streams, int length, SplittableRandom random) throws IOException {
        byte[] expected = Peer.answer(length);
        byte[] got = new byte[length];
        long before = System.nanoTime();
        streams.out().write(request(length));
        int at = 0;
        while (at < length) {
            int piece = Math.min(length - at, random.nextInt(1, 1 << random.nextInt(1, 20)));
            int read = random.nextInt(50) == 0
                    ? readOne(streams.in(), got, at)
                    : streams.in().read(got, at, piece);
            assertThat(read).isPositive();
            at += read;
        }
        long took = System.nanoTime() - before;
        assertThat(got).isEqualTo(expected);
        return took;
    }

    private static int readOne(InputStream in, byte[] bytes, int at) throws IOException {
        bytes[at] = (byte) in.read();
        return 1;
    }

    @ParameterizedTest
    @ValueSource(strings = {"10mbit", "400mbit 1ms", "any 5ms", "5gbit 300us", "200mbit 3ms+-1ms", "slow-server"})
    void deliversAllBytesAndNoneTooEarly(String text) throws Exception {
        Link link = Link.parse(text);
        SplittableRandom random = new SplittableRandom(42);
        try (Peer peer = new Peer();
                Socket socket = peer.connect()) {
            SharedLink.Streams streams = SharedLink.of(link).emulate(socket.getInputStream(), socket.getOutputStream());
            for (int length : new int[] {1, 5, 1_000, 16_384, 131_072, 131_073, 700_000}) {
                long took = ask(streams, length, random);
                double least = link.roundTrip().minus(link.jitter()).toNanos()
                        + length * 1e9 / link.down().orElse(Double.POSITIVE_INFINITY);
                assertThat(took).isGreaterThanOrEqualTo((long) (0.999 * least));
            }
            streams.out().write(request(-1));
            assertThat(streams.in().read()).isEqualTo(-1);
        }
    }

    /** What is sent together waits together. */
    @Test
    void requestsThatFollowEachOtherPayOneRoundTrip() throws Exception {
        Link link = Link.parse("any 300ms");
        try (Peer peer = new Peer();
                Socket socket = peer.connect()) {
            SharedLink.Streams streams = SharedLink.of(link).emulate(socket.getInputStream(), socket.getOutputStream());
            long before = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                streams.out().write(request(100));
            }
            assertThat(streams.in().readNBytes(500)).hasSize(500);
            assertThat(System.nanoTime() - before)
                    .isGreaterThanOrEqualTo(300_000_000)
                    .as("five would take 1.5 s")
                    .isLessThan(1_200_000_000);
            streams.out().write(request(-1));
        }
    }

    /** One bottleneck for all, also where each has mapped the file for itself as a process does. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionsShareTheirLink(boolean byFile, @TempDir Path directory) throws Exception {
        Link link = Link.parse("100mbit");
        Path file = directory.resolve("link");
        SharedLink.writeFile(file);
        SharedLink shared = SharedLink.of(link);
        int length = 300_000;
        int connections = 4;
        try (Peer peer = new Peer()) {
            List<Socket> sockets = new ArrayList<>();
            List<SharedLink.Streams> all = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                Socket socket = peer.connect();
                sockets.add(socket);
                all.add((byFile ? SharedLink.of(link, file) : shared)
                        .emulate(socket.getInputStream(), socket.getOutputStream()));
            }
            long before = System.nanoTime();
            CompletableFuture<?>[] asked = all.stream()
                    .map(streams -> CompletableFuture.runAsync(() -> {
                        try {
                            ask(streams, length, new SplittableRandom(1));
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    }))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(asked).join();
            double least = connections * length * 1e9 / link.down().orElseThrow();
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo((long) (0.999 * least));
            for (int i = 0; i < connections; i++) {
                all.get(i).out().write(request(-1));
                sockets.get(i).close();
            }
        }
    }

    /** A value that is written takes as long as its bytes take to pass. */
    @Test
    void whatIsSentPassesTheLinkToo() throws Exception {
        Link link = Link.parse("any/20mbit");
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(listening.getInetAddress(), listening.getLocalPort());
                Socket accepted = listening.accept()) {
            byte[] sent = Peer.answer(250_000);
            CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> {
                try {
                    return accepted.getInputStream().readNBytes(sent.length);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            OutputStream out = SharedLink.of(link)
                    .emulate(socket.getInputStream(), socket.getOutputStream())
                    .out();
            long before = System.nanoTime();
            out.write(sent, 0, 1);
            out.write(sent, 1, sent.length - 1);
            assertThat(received.join()).isEqualTo(sent);
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(99_900_000);
        }
    }

    @Test
    void loopbackIsLeftAsItIs() {
        InputStream in = InputStream.nullInputStream();
        OutputStream out = OutputStream.nullOutputStream();

        SharedLink.Streams streams = SharedLink.of(Link.LOOPBACK).emulate(in, out);

        assertThat(streams.in()).isSameAs(in);
        assertThat(streams.out()).isSameAs(out);
    }
}
