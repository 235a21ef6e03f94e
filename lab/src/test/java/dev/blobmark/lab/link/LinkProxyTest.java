package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LinkProxyTest {

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static InetSocketAddress addressOf(Peer peer) throws IOException {
        try (Socket socket = peer.connect()) {
            return (InetSocketAddress) socket.getRemoteSocketAddress();
        }
    }

    private static Socket connect(LinkProxy proxy) throws IOException {
        return new Socket(proxy.address().getAddress(), proxy.address().getPort());
    }

    private static void await(BooleanSupplier what) throws InterruptedException {
        while (!what.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    void relaysAtItsBandwidthAndNoSooner() throws Exception {
        try (Peer peer = new Peer();
                LinkProxy proxy = new LinkProxy(Link.parse("80mbit 2ms"), ANY_PORT, addressOf(peer));
                Socket client = connect(proxy)) {
            long before = System.nanoTime();
            new DataOutputStream(client.getOutputStream()).writeLong(1_000_000);
            client.getInputStream().readNBytes(1_000_000);
            long took = System.nanoTime() - before;

            // 100 ms and 2
            assertThat(took).isGreaterThanOrEqualTo(101_900_000L);
            assertThat(proxy.connections()).isEqualTo(1);
            assertThat(proxy.bytesUp()).isEqualTo(Long.BYTES);
            await(() -> proxy.bytesDown() == 1_000_000);
        }
    }

    @Test
    void anEndOnEitherSideIsPassedOn() throws Exception {
        try (Peer peer = new Peer();
                LinkProxy proxy = new LinkProxy(Link.parse("any 1ms"), ANY_PORT, addressOf(peer))) {
            try (Socket client = connect(proxy)) {
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                out.writeLong(5);
                out.writeLong(-1); // the peer closes
                assertThat(client.getInputStream().readAllBytes()).hasSize(5);
            }
            await(() -> proxy.connections() == 0);
            Socket client = connect(proxy);
            await(() -> proxy.connections() == 1);
            client.close();
            await(() -> proxy.connections() == 0);
        }
    }

    @Test
    void aServerThatIsNotThereEndsTheConnectionOnly() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), free);
        try (LinkProxy proxy = new LinkProxy(Link.parse("any 1ms"), ANY_PORT, nobody)) {
            for (int i = 0; i < 2; i++) {
                try (Socket client = connect(proxy)) {
                    assertThat(client.getInputStream().read()).isEqualTo(-1);
                }
            }
            await(() -> proxy.refused() == 2);
            assertThat(proxy.connections()).isZero();
        }
    }

    @Test
    void closingEndsAllConnections() throws Exception {
        try (Peer peer = new Peer()) {
            LinkProxy proxy = new LinkProxy(Link.parse("any 1ms"), ANY_PORT, addressOf(peer));
            try (Socket client = connect(proxy)) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                await(() -> proxy.connections() == 1);
                proxy.close();
                assertThat(in.read()).isEqualTo(-1);
            }
        }
    }
}
