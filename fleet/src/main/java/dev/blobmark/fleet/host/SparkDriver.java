package dev.blobmark.fleet.host;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Spark's part of a fleet, in a JVM of its own, so that neither has the other's libraries. It reads an
 * {@link Application} from standard input, then what to do. It answers with an empty text, or the reason of a failure:
 * when the application has started, and when a stage or a scan has ended. Meanwhile it passes on the keys of hosts. It
 * ends with its standard input.
 */
public final class SparkDriver {

    /** Orders: run the tasks of hosts. */
    public static final byte STAGE = 1;

    /** Look at a column. */
    public static final byte SCAN = 2;

    /** Before a text that answers an order. */
    public static final byte ANSWER = 1;

    /** Before the key of a host. */
    public static final byte KEY = 2;

    /** Before the reason for which an executor has ended. */
    public static final byte LOSS = 3;

    private static final long LOOK_MILLIS = 500;

    /**
     * What Spark says of an application that its master has ended, or never answered ({@code SparkContext}). It stops
     * it on a thread of its own, so that the other one fails wherever it is.
     */
    private static final List<String> OF_STOPPED = List.of(
            "SparkContext has been shutdown",
            "stopped SparkContext",
            "LiveListenerBus is stopped",
            "\"org.apache.spark.SparkEnv$.get()\" is null");

    private static final int MAX_REASON = 2_000;

    private SparkDriver() {}

    public static void main(String[] args) throws IOException {
        OutputStream answers = new FileOutputStream(FileDescriptor.out); // System.out is for what libraries print
        serve(System.in, answers, () -> new JavaSparkContext(new SparkConf()));
        Runtime.getRuntime().halt(0); // what still runs waits for hosts that are not wanted any more
    }

    /**
     * Serves one application, until the orders end.
     *
     * @param start starts it
     */
    public static void serve(InputStream orders, OutputStream answers, Supplier<JavaSparkContext> start)
            throws IOException {
        DataInputStream in = new DataInputStream(orders);
        DataOutputStream out = new DataOutputStream(answers);
        Application application = Application.read(in);
        List<String> names = new ArrayList<>();
        JavaSparkContext spark;
        ExecutorWatch watch = new ExecutorWatch(System::nanoTime, reason -> passLoss(out, reason));
        try {
            spark = start.get();
            spark.sc().addSparkListener(watch);
            for (String jar : application.jars()) {
                spark.addFile(jar);
                names.add(new File(jar).getName());
            }
        } catch (RuntimeException e) {
            answer(out, notAccepted(e, System.getProperty("spark.master", "")).orElseGet(() -> reason(e)));
            return;
        }
        FleetPlugin.receive(key -> pass(out, KEY, key));
        ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(SparkDriver::daemon);
        looking.scheduleWithFixedDelay(() -> endOverdue(spark, watch), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        try {
            answer(out, "");
            while (true) {
                if (in.readByte() == SCAN) {
                    scan(spark, ScanRequest.read(in), watch, out);
                } else {
                    int count = in.readInt();
                    Address address = Address.read(in);
                    // the end of the orders ends it
                    daemon(() -> run(spark, address, count, names, watch, out)).start();
                }
            }
        } catch (EOFException e) {
            // there are no more orders
        } finally {
            FleetPlugin.receive(null);
            looking.shutdownNow();
            spark.sc().removeSparkListener(watch);
            cancel(spark);
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fleet-driver");
        thread.setDaemon(true);
        return thread;
    }

    /** Executors that refuse to work are replaced without an end, and a job waits for them. */
    private static void endOverdue(JavaSparkContext spark, ExecutorWatch watch) {
        if (watch.isOverdue()) {
            cancel(spark);
        }
    }

    private static void passLoss(DataOutputStream out, String reason) {
        try {
            pass(out, LOSS, cut(reason));
        } catch (IOException e) {
            // Blobmark has ended
        }
    }

    /** Tasks of hosts that do not end by themselves; an application that has stopped has none. */
    private static void cancel(JavaSparkContext spark) {
        try {
            spark.cancelAllJobs();
        } catch (IllegalStateException e) {
            // it has stopped
        }
    }

    private static void run(
            JavaSparkContext spark,
            Address address,
            int count,
            List<String> jars,
            ExecutorWatch watch,
            DataOutputStream out) {
        String reason = "";
        try {
            HostStage.run(spark, address, count, jars);
        } catch (Exception e) { // Scala's methods throw checked exceptions without declaring them
            reason = ofJob(e, watch);
        }
        try {
            answer(out, reason);
        } catch (IOException e) {
            // Blobmark has ended
        }
    }

    private static void scan(JavaSparkContext spark, ScanRequest request, ExecutorWatch watch, DataOutputStream out)
            throws IOException {
        ColumnSketch sketch;
        try {
            sketch = request instanceof TableRequest table
                    ? TableScan.run(spark, table)
                    : FilesScan.run(SparkSession.builder().getOrCreate(), (FilesRequest) request);
        } catch (Exception e) { // Scala's methods throw checked exceptions without declaring them
            answer(out, ofJob(e, watch));
            return;
        }
        synchronized (out) {
            answer(out, "");
            sketch.write(out);
            out.flush();
        }
    }

    private static void answer(DataOutputStream out, String reason) throws IOException {
        pass(out, ANSWER, cut(reason));
    }

    private static String cut(String reason) {
        return reason.substring(0, Math.min(reason.length(), MAX_REASON));
    }

    private static void pass(DataOutputStream out, byte kind, String text) throws IOException {
        synchronized (out) {
            out.writeByte(kind);
            out.writeUTF(text);
            out.flush();
        }
    }

    /**
     * What it means that Spark has ended an application before its first job; empty if something else has happened.
     *
     * @param master of the application
     */
    static Optional<String> notAccepted(Throwable failure, String master) {
        String message = String.valueOf(failure.getMessage());
        return OF_STOPPED.stream().noneMatch(message::contains)
                ? Optional.empty()
                : Optional.of("the application was not accepted: the master " + master
                        + " has not answered for a minute, or has refused it; check that the address is that of a master"
                        + " of Spark 4 (Spark says: " + reason(failure) + ")");
    }

    /** Why a job has failed. Never empty. */
    static String ofJob(Throwable failure, ExecutorWatch watch) {
        String ofExecutor = watch.loss().isEmpty() ? "" : "; an executor has ended: " + firstLines(watch.loss());
        if (watch.isOverdue()) {
            return "no executor has worked for " + TimeUnit.NANOSECONDS.toSeconds(ExecutorWatch.PATIENCE_NANOS)
                    + " s; check that the cluster has free executors, with a core and memory for each" + ofExecutor;
        }
        String message = String.valueOf(failure.getMessage());
        return OF_STOPPED.stream().anyMatch(message::contains)
                ? "the master has ended the application, or does not answer any more (Spark says: " + reason(failure)
                        + ")" + ofExecutor
                : reason(failure) + ofExecutor;
    }

    /** The message, and that of the first cause. Never empty. */
    static String reason(Throwable failure) {
        Throwable first = failure;
        while (first.getCause() != null && first.getCause() != first) {
            first = first.getCause();
        }
        String reason = inWords(failure);
        return first == failure ? reason : reason + "; " + inWords(first);
    }

    /** The first two lines: in the second one, Spark gives the exception of a task. */
    private static String inWords(Throwable failure) {
        return failure.getClass().getSimpleName() + ": " + firstLines(String.valueOf(failure.getMessage()));
    }

    private static String firstLines(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("at "))
                .limit(2)
                .collect(Collectors.joining(" "));
    }
}
