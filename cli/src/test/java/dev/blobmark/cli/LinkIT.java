package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A link for other programs: it relays, tells where, and ends when it is told to. */
class LinkIT {

    private static final Pattern LISTENING =
            Pattern.compile("listening on 127\\.0\\.0\\.1:(\\d+), relaying to .* over any 20ms\n");

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
}
