package dev.blobmark.fleet;

import dev.blobmark.fleet.host.Address;
import dev.blobmark.fleet.host.Application;
import dev.blobmark.fleet.host.ColumnSketch;
import dev.blobmark.fleet.host.ScanRequest;
import dev.blobmark.fleet.host.SparkDriver;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * What Spark does for a fleet.
 *
 * @param hosting for the application of hosts
 * @param scanning for those that look at columns
 * @param application of hosts
 */
record Jobs(DriverSource hosting, DriverSource scanning, Application application) implements Hosts.Stage {

    private static final Application NO_HOSTS = new Application(List.of());

    /** Where Spark's driver is. */
    interface DriverSource {
        DriverConnection connect() throws IOException;
    }

    /** Standard input and output of {@link SparkDriver}, or the like. */
    interface DriverConnection extends Closeable {
        InputStream in();

        OutputStream out();

        /** Why it may have ended. */
        String lastWords();
    }

    /** Looks at columns, one after another. */
    interface Scanner {
        ColumnSketch scan(ScanRequest request) throws IOException;
    }

    /** What uses a scanner. */
    interface Scanning {
        ColumnSketch by(Scanner scanner) throws IOException, InterruptedException;
    }

    /** A job, after the application has started. */
    private interface Job<V> {
        V run(Answers answers, DataOutputStream orders) throws IOException, InterruptedException;
    }

    /**
     * What the driver sends.
     *
     * @param keys receives the keys of hosts that arrive before an answer
     * @param losses receives why executors have ended
     */
    private record Answers(DataInputStream in, Consumer<String> keys, Consumer<String> losses) {

        /** Waits for the answer to an order. */
        void await() throws IOException {
            byte kind = in.readByte();
            while (kind == SparkDriver.KEY || kind == SparkDriver.LOSS) {
                (kind == SparkDriver.KEY ? keys : losses).accept(in.readUTF());
                kind = in.readByte();
            }
            String reason = in.readUTF();
            if (kind != SparkDriver.ANSWER) {
                throw new IOException("Spark's driver has sent the unknown answer " + kind);
            }
            if (!reason.isEmpty()) {
                throw new FailedException(HostTexts.shown(reason));
            }
        }
    }

    private static <V> V run(
            DriverConnection connection,
            Application application,
            Consumer<String> keys,
            Consumer<String> losses,
            Job<V> job)
            throws IOException, InterruptedException {
        Answers answers = new Answers(new DataInputStream(new BufferedInputStream(connection.in())), keys, losses);
        DataOutputStream orders = new DataOutputStream(connection.out());
        application.write(orders);
        orders.flush();
        answers.await();
        return job.run(answers, orders);
    }

    /** Spark has said why. */
    private static final class FailedException extends IOException {
        private static final long serialVersionUID = 1;

        FailedException(String reason) {
            super(reason);
        }
    }

    private static IOException lost(DriverConnection connection, IOException e) {
        return e instanceof FailedException
                ? e
                : new IOException("Spark's driver has ended; " + connection.lastWords(), e);
    }

    @Override
    public Hosts.Tasks run(Address blobmark, int count, Consumer<String> keys) throws IOException {
        DriverConnection connection = hosting.connect();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        AtomicReference<String> loss = new AtomicReference<>("");
        Thread waiting = new Thread(() -> await(connection, blobmark, count, keys, loss::set, ended), "fleet-spark");
        waiting.setDaemon(true);
        waiting.start();
        return new Hosts.Tasks(ended, () -> close(connection), () -> HostTexts.shown(loss.get()));
    }

    private static void close(DriverConnection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            // it is unusable in any case
        }
    }

    private void await(
            DriverConnection connection,
            Address blobmark,
            int count,
            Consumer<String> keys,
            Consumer<String> losses,
            CompletableFuture<Void> ended) {
        try (connection) {
            run(connection, application, keys, losses, (answers, orders) -> {
                orders.writeByte(SparkDriver.STAGE);
                orders.writeInt(count);
                blobmark.write(orders);
                orders.flush();
                answers.await();
                return null;
            });
            ended.complete(null);
        } catch (IOException e) {
            ended.completeExceptionally(lost(connection, e));
        } catch (InterruptedException e) {
            ended.completeExceptionally(e);
        }
    }

    /**
     * Looks at columns by one application.
     *
     * @param keys receives the keys of executors
     */
    ColumnSketch scan(Scanning work, Consumer<String> keys) throws IOException, InterruptedException {
        try (DriverConnection connection = scanning.connect()) {
            try {
                return run(
                        connection,
                        NO_HOSTS,
                        keys,
                        loss -> {}, // the driver says it with the failure
                        (answers, orders) -> work.by(request -> {
                            orders.writeByte(SparkDriver.SCAN);
                            request.write(orders);
                            orders.flush();
                            answers.await();
                            return ColumnSketch.read(answers.in());
                        }));
            } catch (IOException e) {
                throw lost(connection, e);
            }
        }
    }
}
