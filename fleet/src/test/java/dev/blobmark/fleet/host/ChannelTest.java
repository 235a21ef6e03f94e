package dev.blobmark.fleet.host;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChannelTest {

    private static final int SEND_MILLIS = 200;

    /** Its window is closed for ever, and nothing else would end the write. */
    @Test
    @Timeout(60)
    void whoDoesNotReadIsLeft() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket silent = new Socket(listening.getInetAddress(), listening.getLocalPort());
                Socket accepted = listening.accept();
                Channel channel = new Channel(accepted, Optional.of(accepted), SEND_MILLIS)) {
            assertThatThrownBy(() -> {
                        while (silent.isConnected()) {
                            channel.send(new Message.FilePart(new byte[Message.PART_BYTES]));
                        }
                    })
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("it has not read what it was sent for 200 ms");
        }
    }
}
