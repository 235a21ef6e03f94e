package dev.blobmark.bench.lab;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** {@link BareFetch} in visits, on a thread that lives from the first visit to the last. */
final class BareVisits implements AutoCloseable {

    /** The same as in the lab. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final SplittableRandom random = new SplittableRandom(42);
    private final Connection connection;
    private final PreparedStatement select;
    private final int rows;

    private BareVisits(Connection connection, PreparedStatement select, int rows) {
        this.connection = connection;
        this.select = select;
        this.rows = rows;
    }

    /** Connects, and fetches each row once. */
    static BareVisits open(String url, Properties properties, String sql, int rows) throws Exception {
        Connection connection = DriverManager.getConnection(url, properties);
        BareVisits bare = new BareVisits(connection, connection.prepareStatement(sql), rows);
        bare.onThread(() -> {
            for (int row = 0; row < rows; row++) {
                BareFetch.fetch(bare.select, row);
            }
            return 0.0;
        });
        return bare;
    }

    /** Fetches random rows for 5 ms and then for this time; returns operations per second of the latter. */
    double visit(long nanos) throws Exception {
        return onThread(() -> {
            BareFetch.run(select, random, rows, SETTLE_NANOS);
            return BareFetch.run(select, random, rows, nanos);
        });
    }

    private double onThread(Callable<Double> work) throws InterruptedException, SQLException {
        try {
            return thread.submit(work).get();
        } catch (ExecutionException e) {
            throw new SQLException(e.getCause());
        }
    }

    @Override
    public void close() throws SQLException {
        thread.shutdown();
        connection.close();
    }
}
