package dev.blobmark.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * Spark's driver in the application that has started this command.
 *
 * @param socket of {@link Fleet}
 */
record SubmittedApplication(Path socket) implements Jobs.DriverSource {

    @Override
    public Jobs.DriverConnection connect() throws IOException {
        SocketChannel driver = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        return new Jobs.DriverConnection() {
            @Override
            public InputStream in() {
                return new BothWays(driver).in();
            }

            @Override
            public OutputStream out() {
                return new BothWays(driver).out();
            }

            @Override
            public String lastWords() {
                return "its log is that of spark-submit";
            }

            @Override
            public void close() throws IOException {
                driver.close();
            }
        };
    }
}
