package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Application;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * The stages of a fleet, run by the application that has started this command.
 *
 * @param socket of {@link Fleet}
 */
record SubmittedApplication(Path socket, Application application) implements Hosts.Stage {

    @Override
    public CompletableFuture<Void> run(Address blobmark, int count) throws IOException {
        SocketChannel driver = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread waiting = new Thread(
                () -> {
                    try (driver) {
                        SparkProcess.complete(
                                ended,
                                SparkProcess.stage(
                                        Channels.newInputStream(driver),
                                        Channels.newOutputStream(driver),
                                        application,
                                        blobmark,
                                        count));
                    } catch (IOException e) {
                        ended.completeExceptionally(new IOException("the Spark application has ended", e));
                    }
                },
                "fleet-spark");
        waiting.setDaemon(true);
        waiting.start();
        return ended;
    }
}
