package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is read from a port that may be anything. {@link ClusterSecurityIT} asks those of Spark. */
class MasterProbeTest {

    private static final String AUTHENTICATES =
            "x\n\tat org.apache.spark.network.crypto.AuthRpcHandler.doAuthChallenge(AuthRpcHandler.java:103)\n";

    /** What the port answers; then it closes the connection. */
    private static MasterProbe.PortState asked(byte[] answer) throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<byte[]> request = CompletableFuture.supplyAsync(() -> {
                try (Socket one = listening.accept()) {
                    byte[] read = one.getInputStream().readNBytes(22);
                    one.getOutputStream().write(answer);
                    return read;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            MasterProbe.PortState found =
                    MasterProbe.ask(new Masters.MasterAddress("127.0.0.1", listening.getLocalPort()));
            assertThat(request.get()).hasSize(22).startsWith(0, 0, 0, 0, 0, 0, 0, 22, 3);
            return found;
        }
    }

    private static byte[] failure(long frame, int type, long number, int length, String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(frame);
        out.writeByte(type);
        out.writeLong(number);
        out.writeInt(length);
        out.write(text.getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    private static byte[] failure(String text) throws IOException {
        return failure(21 + text.length(), 5, 1, text.length(), text);
    }

    @Test
    void theHandlerInTheStackDecides() throws Exception {
        assertThat(asked(failure(AUTHENTICATES))).isEqualTo(MasterProbe.PortState.AUTHENTICATED);
        assertThat(asked(failure("x\n\tat org.apache.spark.network.sasl.SaslRpcHandler.doAuthChallenge(S.java:1)")))
                .isEqualTo(MasterProbe.PortState.AUTHENTICATED);
        assertThat(asked(failure(
                        "java.io.EOFException\n\tat org.apache.spark.rpc.netty.RequestMessage$.apply(N.scala:1)")))
                .isEqualTo(MasterProbe.PortState.OPEN);
        assertThat(asked(failure(AUTHENTICATES + "\tat org.apache.spark.rpc.netty.NettyRpcHandler.receive(N.scala:1)")))
                .isEqualTo(MasterProbe.PortState.OPEN);
        assertThat(asked(failure("no"))).isEqualTo(MasterProbe.PortState.OTHER);
    }

    @Test
    void whatIsNoAnswerOfSparkIsNotBelieved() throws Exception {
        int length = AUTHENTICATES.length();
        for (byte[] other : List.of(
                "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                failure(21 + length, 4, 1, length, AUTHENTICATES),
                failure(21 + length, 5, 2, length, AUTHENTICATES),
                failure(22 + length, 5, 1, length, AUTHENTICATES),
                failure(21 - 1, 5, 1, -1, AUTHENTICATES),
                failure(Long.MAX_VALUE, 5, 1, Integer.MAX_VALUE, AUTHENTICATES),
                failure(21L + Integer.MAX_VALUE, 5, 1, Integer.MAX_VALUE, AUTHENTICATES))) {
            assertThat(asked(other)).isEqualTo(MasterProbe.PortState.OTHER);
        }
    }

    @Test
    void aConnectionThatIsClosedIsNoAuthentication() throws Exception {
        assertThat(asked(new byte[0])).isEqualTo(MasterProbe.PortState.CLOSED);
        assertThat(asked(new byte[] {21, 3, 3, 0, 2, 2, 40}))
                .isEqualTo(MasterProbe.PortState.CLOSED); // an alert of TLS
        assertThat(asked(failure(21 + 200, 5, 1, 200, AUTHENTICATES))).isEqualTo(MasterProbe.PortState.CLOSED);
    }

    @Test
    void eachMasterOfAListIsAsked() throws Exception {
        Map<String, String> settings = Map.of();
        try (ServerSocket listening = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> {
                try {
                    listening.accept().close(); // to see that it can be reached
                    try (Socket one = listening.accept()) {
                        one.getInputStream().readNBytes(22);
                        one.getOutputStream().write(failure("\tat org.apache.spark.rpc.netty.Inbox"));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Masters masters = Masters.parse("spark://127.0.0.1:1,127.0.0.1:" + listening.getLocalPort())
                    .orElseThrow();
            assertThatThrownBy(() -> ClusterSecurity.ask(masters, settings))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the master 127.0.0.1:" + listening.getLocalPort())
                    .hasMessageContaining("reads messages without authentication");
            served.get();
        }
        Masters none = Masters.parse("spark://127.0.0.1:1").orElseThrow();
        assertThatThrownBy(() -> ClusterSecurity.ask(none, settings)).hasMessageContaining("cannot be reached");
        assertThatThrownBy(() -> Masters.parse("spark://m")).hasMessageContaining("has no port");
        assertThatThrownBy(() -> Masters.parse("spark://m:70000")).hasMessageContaining("has no port");
        assertThat(Masters.parse("yarn")).isEmpty();
    }
}
