package dev.blobmark.fleet.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.own.SelfSignedCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

    /** As Blobmark does when there are too many connections at once. */
    @Test
    @Timeout(60)
    void anotherConnectionIsMadeWhenOneIsLostBeforeTheKeyWasSent(@TempDir Path directory) throws Exception {
        byte[] certificate;
        try (InputStream pem =
                Files.newInputStream(SelfSignedCertificate.make(directory).certificate())) {
            certificate = CertificateFactory.getInstance("X.509")
                    .generateCertificate(pem)
                    .getEncoded();
        }
        ServerSocket listening = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        try {
            AtomicInteger calls = new AtomicInteger();
            Thread closing = new Thread(() -> {
                try {
                    while (calls.incrementAndGet() <= 3) {
                        listening.accept().close();
                    }
                    listening.close(); // from now on, nobody is there
                } catch (IOException e) {
                    // the test has ended
                }
            });
            closing.setDaemon(true);
            closing.start();
            Address address = new Address("127.0.0.1", listening.getLocalPort(), certificate);

            assertThatThrownBy(() -> Channel.connect(address, HostKey.make(), Channel.CONTROL, 0))
                    .isInstanceOf(ConnectException.class);
            assertThat(calls).hasValue(4);
        } finally {
            listening.close();
        }
    }
}
