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
        try {
            spark = start.get();
            for (String jar : application.jars()) {
                spark.addFile(jar);
                names.add(new File(jar).getName());
            }
        } catch (RuntimeException e) {
            answer(out, reason(e));
            return;
        }
        FleetPlugin.receive(key -> pass(out, KEY, key));
        try {
            answer(out, "");
            while (true) {
                if (in.readByte() == SCAN) {
                    scan(spark, ScanRequest.read(in), out);
                } else {
                    int count = in.readInt();
                    Address address = Address.read(in);
                    Thread stage = new Thread(() -> run(spark, address, count, names, out), "stage");
                    stage.setDaemon(true);
                    stage.start(); // the end of the orders ends it
                }
            }
        } catch (EOFException e) {
            // there are no more orders
        } finally {
            FleetPlugin.receive(null);
            cancel(spark);
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
            JavaSparkContext spark, Address address, int count, List<String> jars, DataOutputStream out) {
        String reason = "";
        try {
            HostStage.run(spark, address, count, jars);
        } catch (Exception e) { // Scala's methods throw checked exceptions without declaring them
            reason = reason(e);
        }
        try {
            answer(out, reason);
        } catch (IOException e) {
            // Blobmark has ended
        }
    }

    private static void scan(JavaSparkContext spark, ScanRequest request, DataOutputStream out) throws IOException {
        ColumnSketch sketch;
        try {
            sketch = request instanceof TableRequest table
                    ? TableScan.run(spark, table)
                    : FilesScan.run(SparkSession.builder().getOrCreate(), (FilesRequest) request);
        } catch (Exception e) { // Scala's methods throw checked exceptions without declaring them
            answer(out, reason(e));
            return;
        }
        synchronized (out) {
            answer(out, "");
            sketch.write(out);
            out.flush();
        }
    }

    private static void answer(DataOutputStream out, String reason) throws IOException {
        pass(out, ANSWER, reason.substring(0, Math.min(reason.length(), MAX_REASON)));
    }

    private static void pass(DataOutputStream out, byte kind, String text) throws IOException {
        synchronized (out) {
            out.writeByte(kind);
            out.writeUTF(text);
            out.flush();
        }
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
        return failure.getClass().getSimpleName() + ": "
                + String.valueOf(failure.getMessage())
                        .lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("at "))
                        .limit(2)
                        .collect(Collectors.joining(" "));
    }
}
