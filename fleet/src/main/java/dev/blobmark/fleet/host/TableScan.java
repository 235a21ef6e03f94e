package dev.blobmark.fleet.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.api.java.JavaSparkContext;

/** Reads parts of a table by all executors, each by a task with a connection of its own. */
final class TableScan {

    private static final String DRIVER = "org.mariadb.jdbc.Driver";

    /** Read by the driver when its classes are loaded (MariaDB's {@code org.mariadb.jdbc.util.log.Loggers}). */
    private static final String DRIVER_LOGS_NOTHING = "mariadb.logging.disable";

    /** Rows in memory at a time. */
    private static final int FETCHED = 16;

    private static HostDirectory own;

    private TableScan() {}

    static ColumnSketch run(JavaSparkContext spark, TableRequest request) {
        spark.addJar(request.driverJar());
        Address blobmark = request.blobmark();
        int scan = request.scan();
        SampleSize size = request.size();
        return spark.parallelize(request.parts(), request.parts().size())
                .treeAggregate(
                        new ColumnSketch(),
                        (sketch, part) -> {
                            add(sketch, part, Logins.of(blobmark, scan), size);
                            return sketch;
                        },
                        (one, other) -> one.plus(other, size),
                        FilesScan.DEPTH);
    }

    private static void add(
            ColumnSketch sketch, TableRequest.RequestedPart part, Message.ScanLogin login, SampleSize size)
            throws Exception {
        try (Connection connection = connect(login);
                PreparedStatement select = connection.prepareStatement(part.sql())) {
            connection.setReadOnly(true);
            select.setFetchSize(FETCHED);
            for (int i = 0; i < part.parameters().size(); i++) {
                select.setObject(i + 1, part.parameters().get(i));
            }
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    long length = row.getLong(1);
                    byte[] value = row.getBytes(2);
                    if (value != null) {
                        sketch.add(value, ColumnSketch.hash(value), size);
                    } else if (length > 0) {
                        sketch.addUnread(length);
                    } else {
                        sketch.addMissing();
                    }
                }
            }
        }
    }

    /** For files that connections need for a moment, of this JVM. */
    private static synchronized Path directory() throws IOException {
        if (own == null) {
            HostDirectory made = HostDirectory.make();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    made.close();
                } catch (IOException e) {
                    // the next task on this host removes it
                }
            }));
            own = made;
        }
        return own.path();
    }

    /** Without DriverManager, which does not know drivers that Spark has loaded for an application. */
    private static Connection connect(Message.ScanLogin login) throws Exception {
        // whatever the executor logs: at its level "trace", the driver would log each row
        System.setProperty(DRIVER_LOGS_NOTHING, "true");
        Driver driver =
                (Driver) Class.forName(DRIVER, true, Thread.currentThread().getContextClassLoader())
                        .getConstructor()
                        .newInstance();
        Properties properties = new Properties();
        properties.putAll(login.properties());
        List<Path> files = new ArrayList<>();
        try {
            for (Map.Entry<String, byte[]> file : login.files().entrySet()) {
                Path copy = Files.createTempFile(directory(), "", ".tmp");
                files.add(copy);
                Files.write(copy, file.getValue());
                properties.setProperty(file.getKey(), copy.toString());
            }
            return driver.connect(login.url(), properties);
        } finally {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }
}
