package dev.blobmark.lab.hosts;

import dev.blobmark.lab.fork.Launch;
import dev.blobmark.lab.measurement.SizeClass;
import dev.blobmark.mysql.server.Endpoint;
import dev.blobmark.mysql.table.WholeColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A cluster on whose hosts processes measure, read files and change tables. The module {@code fleet} has the
 * implementation.
 */
public interface Cluster extends AutoCloseable {

    /**
     * How measuring JVMs are started on the hosts.
     *
     * @param main the class to start
     * @param flags of the JVM
     */
    Launch launch(String main, List<String> flags);

    /**
     * How other processes are started on the hosts: their lines are passed on as they are.
     *
     * @param main the class to start
     * @param flags of the JVM
     */
    Launch plain(String main, List<String> flags);

    /**
     * Why the hosts could not use a server that listens on this machine's loopback interface; empty if they can.
     *
     * @throws IOException if they do not join
     */
    Optional<String> withoutLoopback() throws IOException;

    /**
     * Reads a column of files by all hosts. Its values stay there, but for a sample.
     *
     * @throws IOException if it cannot be read, with the reason
     */
    Scanned scan(FileColumn column) throws IOException, InterruptedException;

    /**
     * Reads a column of a table by all hosts, at most one part by each at a time.
     *
     * @param gate is asked before each group of parts
     * @throws IOException if it cannot be read, with the reason
     */
    Scanned scan(TableRows rows, Gate gate) throws IOException, InterruptedException;

    @Override
    void close();

    /**
     * A column of files.
     *
     * @param path that all hosts can read
     * @param format as Spark names it: {@code parquet}
     */
    record FileColumn(String path, String format, String name) {}

    /** The rows of a table. */
    record TableRows(Endpoint endpoint, List<WholeColumn.TablePart> parts) {}

    /** Waits until the hosts may continue. */
    interface Gate {

        /** @param done number of parts that have been read */
        void await(int done) throws InterruptedException;
    }

    /**
     * All values of a column.
     *
     * @param missing rows without a value
     * @param unread values that are too long to be read; they are counted, and not in the sample
     * @param classes those that have values, from the smallest
     */
    record Scanned(long missing, long unread, List<ValuesOfSize> classes) {

        /**
         * The values of one size class.
         *
         * @param distinct number of different values, by estimate
         * @param sample different values that were drawn at random
         */
        public record ValuesOfSize(
                SizeClass size, long rows, long bytes, long longest, double distinct, List<DistinctValue> sample) {}

        /** A value, and the number of rows that have it. */
        public record DistinctValue(byte[] bytes, long rows) {}
    }

    /**
     * Which hosts.
     *
     * @param master of the cluster: {@code spark://HOST:PORT}
     * @param hosts number of hosts
     * @param settings of Spark, from the command line
     * @param settingsFile file with more of them, which may be secrets
     * @param isInsecure whether the cluster may be without authentication and encryption
     * @param scratch directory for temporary files
     * @param notices receives lines for the user, from any thread
     */
    record Request(
            String master,
            int hosts,
            Map<String, String> settings,
            Optional<Path> settingsFile,
            boolean isInsecure,
            Path scratch,
            Consumer<String> notices) {}

    /** Opens clusters; found by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * Prepares a cluster, whose hosts join when they are first needed.
         *
         * @throws IllegalArgumentException if the cluster's master or settings do not fit; the message says what to
         *     change
         * @throws IOException if the cluster cannot be reached
         */
        Cluster open(Request request) throws IOException;
    }
}
