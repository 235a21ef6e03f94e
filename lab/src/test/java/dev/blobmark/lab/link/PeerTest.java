package dev.blobmark.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeerTest {

    private static Socket stranger(InetSocketAddress address) {
        try {
            Socket stranger = new Socket(address.getAddress(), address.getPort());
            new DataOutputStream(stranger.getOutputStream()).writeLong(8L << 30);
            return stranger;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Bytes until the connection is closed. */
    private static int received(Socket stranger) throws IOException {
        try (stranger) {
            return stranger.getInputStream().readAllBytes().length;
        } catch (IOException reset) {
            return 0;
        }
    }

    @Test
    void othersThatConnectFirstGetNothing() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        try (Peer peer = new Peer();
                Socket socket = peer.connect(address -> {
                    for (int i = 0; i < 20; i++) {
                        strangers.add(stranger(address));
                    }
                })) {
            for (Socket stranger : strangers) {
                assertThat(received(stranger)).isZero();
            }
            peer.begin();
            new DataOutputStream(socket.getOutputStream()).writeLong(Long.BYTES);
            assertThat(new DataInputStream(socket.getInputStream()).readLong()).isZero();
            assertThat(peer.seconds()).isZero();
        }
        assertThat(strangers).hasSize(20);
    }

    @Test
    void nothingListensWhileItIsConnected() throws Exception {
        List<InetSocketAddress> address = new ArrayList<>();
        try (Peer peer = new Peer();
                Socket socket = peer.connect(address::add)) {
            assertThat(address.get(0).getAddress().isLoopbackAddress()).isTrue();
            assertThatThrownBy(() -> new Socket(
                                    address.get(0).getAddress(), address.get(0).getPort())
                            .close())
                    .isInstanceOf(ConnectException.class);
            new DataOutputStream(socket.getOutputStream()).writeLong(1);
            assertThat(socket.getInputStream().read()).isZero();
        }
    }

    @Test
    void closingEndsItsConnections() throws Exception {
        Peer peer = new Peer();
        try (Socket socket = peer.connect()) {
            peer.close();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
