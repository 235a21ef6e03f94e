package dev.blobmark.fleet.host;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Spark's part of a fleet, in a JVM of its own, so that neither has the other's libraries. It reads an
 * {@link Application} from standard input, then the stages to run, one after another, and writes how each has ended. It
 * ends with its standard input.
 */
public final class SparkDriver {

    /** Answers: the application has started; a stage has ended. With an empty text, or the reason of a failure. */
    private static final int MAX_REASON = 2_000;

    private SparkDriver() {}

    public static void main(String[] args) throws IOException {
        OutputStream answers = System.out;
        System.setOut(System.err); // what libraries print must not be mixed with the answers
        serve(System.in, answers, settings -> {
            SparkConf conf = new SparkConf();
            settings.forEach(conf::set);
            return new JavaSparkContext(conf);
        });
        Runtime.getRuntime().halt(0); // what still runs waits for hosts that are not wanted any more
    }

    /**
     * Serves one application, until the orders end.
     *
     * @param start starts it with its settings
     */
    public static void serve(
            InputStream orders, OutputStream answers, Function<Map<String, String>, JavaSparkContext> start)
            throws IOException {
        DataInputStream in = new DataInputStream(orders);
        DataOutputStream out = new DataOutputStream(answers);
        Application application = Application.read(in);
        List<String> names = new ArrayList<>();
        JavaSparkContext spark;
        try {
            spark = start.apply(application.settings());
            for (String jar : application.jars()) {
                spark.addFile(jar);
                names.add(new File(jar).getName());
            }
        } catch (RuntimeException e) {
            answer(out, reason(e));
            return;
        }
        try {
            answer(out, "");
            while (true) {
                int count = in.readInt();
                Address address = Address.read(in);
                Thread stage = new Thread(() -> run(spark, address, count, names, out), "stage");
                stage.setDaemon(true);
                stage.start(); // the end of the orders ends it
            }
        } catch (EOFException e) {
            // there are no more orders
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

    private static synchronized void answer(DataOutputStream out, String reason) throws IOException {
        out.writeUTF(reason.substring(0, Math.min(reason.length(), MAX_REASON)));
        out.flush();
    }

    /** The message, never empty. */
    private static String reason(Throwable failure) {
        return failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }
}
