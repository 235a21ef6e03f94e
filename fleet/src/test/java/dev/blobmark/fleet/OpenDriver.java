package dev.blobmark.fleet;

import dev.blobmark.cli.Cluster;
import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.LakeRequest;
import dev.blobmark.fleet.host.LakeSketch;
import dev.blobmark.fleet.host.SparkDriver;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One start of Spark's driver for many files, where a command starts it for one. */
final class OpenDriver implements AutoCloseable {

    private final Jobs.Connection connection;
    private final DataInputStream answers;
    private final DataOutputStream orders;

    private OpenDriver(Jobs.Connection connection) {
        this.connection = connection;
        answers = new DataInputStream(new BufferedInputStream(connection.in()));
        orders = new DataOutputStream(connection.out());
    }

    /**
     * Starts it, with the settings of a command.
     *
     * @param more settings of Spark
     * @param scratch directory for its files
     */
    static OpenDriver start(String master, Map<String, String> more, Path scratch) throws IOException {
        SparkProcess process = new SparkProcess(
                Files.readString(FleetCommand.SPARK).strip(),
                ClassPath.ofTasks(scratch),
                SparkCluster.settings(new Cluster.Request(master, 2, more, scratch), InetAddress.getLoopbackAddress()),
                scratch);
        OpenDriver driver = new OpenDriver(process.connect());
        new Application(List.of()).write(driver.orders);
        driver.orders.flush();
        driver.require();
        return driver;
    }

    /** Looks at a column, as a command does. */
    LakeSketch scan(Path path, String format, String column) throws IOException {
        orders.writeByte(SparkDriver.SCAN);
        new LakeRequest(path.toString(), format, column, 5_000, 2 << 20).write(orders);
        orders.flush();
        require();
        return LakeSketch.read(answers);
    }

    private void require() throws IOException {
        String reason;
        try {
            reason = answers.readUTF();
        } catch (IOException e) {
            throw new IOException(connection.lastWords(), e);
        }
        if (!reason.isEmpty()) {
            throw new IOException(reason);
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
