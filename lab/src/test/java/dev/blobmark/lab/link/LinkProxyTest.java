package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LinkProxyTest {

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static final ConnectionLimit FEW = new ConnectionLimit(2, 0);

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
        try (AnsweringServer peer = new AnsweringServer();
                LinkProxy proxy =
                        new LinkProxy(Link.parse("80mbit 2ms"), ANY_PORT, peer.address(), FEW, Clients.SAME_USER);
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
        try (AnsweringServer peer = new AnsweringServer();
                LinkProxy proxy =
                        new LinkProxy(Link.parse("any 1ms"), ANY_PORT, peer.address(), FEW, Clients.SAME_USER)) {
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
        try (LinkProxy proxy = new LinkProxy(Link.parse("any 1ms"), ANY_PORT, nobody, FEW, Clients.SAME_USER)) {
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
        try (AnsweringServer peer = new AnsweringServer()) {
            LinkProxy proxy = new LinkProxy(Link.parse("any 1ms"), ANY_PORT, peer.address(), FEW, Clients.SAME_USER);
            try (Socket client = connect(proxy)) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                await(() -> proxy.connections() == 1);
                proxy.close();
                assertThat(in.read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void beyondTheLimitAConnectionIsClosedAtOnceAndLaterOnesAreServed() throws Exception {
        try (AnsweringServer peer = new AnsweringServer();
                LinkProxy proxy =
                        new LinkProxy(Link.parse("any 1ms"), ANY_PORT, peer.address(), FEW, Clients.SAME_USER)) {
            for (int round = 0; round < 2; round++) {
                try (Socket first = connect(proxy);
                        Socket second = connect(proxy);
                        Socket third = connect(proxy)) {
                    assertThat(third.getInputStream().read()).isEqualTo(-1);
                    for (Socket served : new Socket[] {first, second}) {
                        new DataOutputStream(served.getOutputStream()).writeLong(1);
                        assertThat(served.getInputStream().read()).isZero();
                    }
                    assertThat(proxy.connections()).isEqualTo(2);
                }
                assertThat(proxy.overLimit()).isEqualTo(round + 1);
                await(() -> proxy.connections() == 0);
            }
            assertThat(proxy.failed()).isZero();
        }
    }

    @Test
    void aSideThatStaysSilentAfterTheOtherHasEndedIsEnded() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LinkProxy proxy = new LinkProxy(
                        Link.parse("any 1ms"),
                        ANY_PORT,
                        (InetSocketAddress) server.getLocalSocketAddress(),
                        FEW,
                        Clients.SAME_USER,
                        Duration.ofMillis(1));
                Socket client = connect(proxy);
                Socket accepted = server.accept()) {
            client.shutdownOutput();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            // it neither closes nor writes
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            await(() -> proxy.connections() == 0);
        }
    }

    /** Another user's process connects, asks, and gets nothing; nor does one that has ended meanwhile. */
    @Test
    void connectionsOfOtherUsersAreClosedUnread() throws Exception {
        OtherUser other = OtherUser.assumed();
        try (AnsweringServer peer = new AnsweringServer();
                LinkProxy proxy =
                        new LinkProxy(Link.parse("any 1ms"), ANY_PORT, peer.address(), FEW, Clients.SAME_USER)) {
            assertThat(other.ask(proxy.address(), true)).isEmpty();
            assertThat(other.ask(proxy.address(), false)).isEmpty();
            await(() -> proxy.ofOthers() == 2);
            assertThat(proxy.bytesUp()).isZero();
            try (Socket client = connect(proxy)) {
                new DataOutputStream(client.getOutputStream()).writeLong(1);
                assertThat(client.getInputStream().read()).isZero();
            }
        }
        try (AnsweringServer peer = new AnsweringServer();
                LinkProxy proxy = new LinkProxy(Link.parse("any 1ms"), ANY_PORT, peer.address(), FEW, Clients.ALL)) {
            assertThat(other.ask(proxy.address(), true)).isNotEmpty();
            assertThat(proxy.ofOthers()).isZero();
        }
    }

    @Test
    void onANetworkTheUserOfAClientIsNotKnown() throws Exception {
        InetSocketAddress all = new InetSocketAddress("0.0.0.0", 0);
        assertThatThrownBy(() -> new LinkProxy(Link.parse("any 1ms"), all, all, FEW, Clients.SAME_USER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not an address of the loopback interface");
    }

    @Test
    void aLimitIsOfTheHeapThatThereIs() {
        Link aws = Link.parse("aws");
        ConnectionLimit limit = ConnectionLimit.of(aws);
        long heap = Runtime.getRuntime().maxMemory();
        // each has 272 KB reserved: 128 to read ahead, two times 64 to pass on, and what keeps account of them
        assertThat(limit.connections()).isBetween(1, (int) (heap / 3 / (272 << 10)));
        assertThat(limit.growthBytes()).isBetween(heap / 3, heap * 2 / 3);
        assertThat(ConnectionLimit.of(aws, 1).growthBytes()).isGreaterThan(limit.growthBytes());
        assertThat(ConnectionLimit.of(Link.LOOPBACK, 10).connections()).isEqualTo(10);

        assertThatThrownBy(() -> ConnectionLimit.of(aws, 1_000_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("1000000 connections may need a heap of \\d+ MB, and this process has \\d+ MB;"
                        + " give at most \\d+, or a larger heap as in BLOBMARK_OPTS=-Xmx4g");
        assertThatThrownBy(() -> ConnectionLimit.of(aws, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("0 connections are not between 1 and the ");
    }
}
