package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BothWaysTest {

    private static final int BYTES = 4 << 20; // more than the system keeps

    @Test
    void aThreadThatReadsDoesNotStopOneThatWrites(@TempDir Path directory) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        byte[] sent = new byte[BYTES];
        Arrays.fill(sent, (byte) 0xff);
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(address);
            try (SocketChannel one = SocketChannel.open(address);
                    SocketChannel other = listening.accept()) {
                CompletableFuture<byte[]> read =
                        CompletableFuture.supplyAsync(() -> read(new BothWays(one).in(), BYTES));
                CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
                    try {
                        new BothWays(one).out().write(sent);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                assertThat(CompletableFuture.supplyAsync(() -> read(new BothWays(other).in(), BYTES))
                                .get(1, TimeUnit.MINUTES))
                        .isEqualTo(sent);
                written.get(1, TimeUnit.MINUTES);
                new BothWays(other).out().write(sent);
                assertThat(read.get(1, TimeUnit.MINUTES)).isEqualTo(sent);
                other.shutdownOutput();
                assertThat(new BothWays(one).in().read()).isEqualTo(-1);
            }
        }
    }

    private static byte[] read(InputStream in, int count) {
        try {
            return in.readNBytes(count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
