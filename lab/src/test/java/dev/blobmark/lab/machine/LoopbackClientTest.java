package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class LoopbackClientTest {

    @BeforeEach
    void requireTables() {
        assumeTrue(LoopbackClient.isKnown(), "no /proc/net/tcp here");
    }

    private static LoopbackClient of(Socket accepted) throws Exception {
        return LoopbackClient.of(List.of(connection(accepted))).get(0);
    }

    private static LoopbackClient.LoopbackConnection connection(Socket accepted) {
        return new LoopbackClient.LoopbackConnection(
                (InetSocketAddress) accepted.getRemoteSocketAddress(),
                (InetSocketAddress) accepted.getLocalSocketAddress());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1"})
    void aConnectionOfThisProcessIsOfTheSameUser(String address) throws Exception {
        InetAddress host = InetAddress.getByName(address);
        try (ServerSocket server = new ServerSocket()) {
            try {
                server.bind(new InetSocketAddress(host, 0));
            } catch (SocketException e) {
                assumeTrue(false, "no " + address + " here");
            }
            try (Socket client = new Socket(host, server.getLocalPort());
                    Socket accepted = server.accept()) {
                assertThat(of(accepted)).isEqualTo(LoopbackClient.SAME_USER);
                client.shutdownOutput();
                assertThat(of(accepted)).isEqualTo(LoopbackClient.SAME_USER);
            }
        }
    }

    @Test
    void manyAreLookedForTogether() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 3, InetAddress.getLoopbackAddress());
                Socket first = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket one = server.accept();
                Socket last = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket three = server.accept()) {
            Socket closed = new Socket(server.getInetAddress(), server.getLocalPort());
            try (Socket two = server.accept()) {
                closed.close();
                assertThat(first.isConnected() && last.isConnected()).isTrue();
                assertThat(LoopbackClient.of(List.of(connection(one), connection(two), connection(three))))
                        .containsExactly(LoopbackClient.SAME_USER, LoopbackClient.OTHER, LoopbackClient.SAME_USER);
            }
            assertThat(LoopbackClient.of(List.of())).isEmpty();
        }
    }

    /** Bytes of a client that has ended can still be read, and the system shows root as its user. */
    @Test
    void aClientThatHasClosedItsSocketIsNotTakenForRoot() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            try (Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
                client.getOutputStream().write(1);
            }
            try (Socket accepted = server.accept()) {
                assertThat(of(accepted)).isEqualTo(LoopbackClient.OTHER);
                assertThat(accepted.getInputStream().read()).isOne();
            }
        }
    }
}
