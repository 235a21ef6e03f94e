package dev.blobmark.fleet.host;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A Spark application for a fleet.
 *
 * @param jars files of the class path of processes, in its order; their names differ
 */
public record Application(List<String> jars) {

    /** Names plugins of Spark. */
    public static final String PLUGINS = "spark.plugins";

    /** {@link FleetPlugin}, which cannot be loaded where Spark's classes are not, as in Blobmark's own process. */
    public static final String PLUGIN = "dev.blobmark.fleet.host.FleetPlugin";

    /** Words of the JVM of each executor, before those of {@code spark.executor.extraJavaOptions}. */
    public static final String JAVA_OPTIONS = "spark.executor.defaultJavaOptions";

    /**
     * The directory in which the worker starts an executor, and which it has made for it. The usual one is
     * {@code /tmp}, where others can replace a native library before it is loaded: lz4-java opens the file that it
     * unpacks by a name that is known before.
     */
    private static final String OWN_DIRECTORY = "-Djava.io.tmpdir=.";

    /**
     * netty would unpack its library for sockets into that directory before a plugin can look at it: Spark 4.2 uses it
     * by default ({@code IOMode.AUTO}).
     */
    private static final String NO_NATIVE_SOCKETS = "-Dio.netty.transport.noNative=true";

    /** How connections of Spark are made: for each kind of them, and for all. */
    private static final Pattern SOCKETS = Pattern.compile("spark\\.(.+\\.io\\.mode|io\\.mode\\.default)");

    private static final Set<String> WITHOUT_LIBRARY = Set.of("AUTO", "NIO");

    /** A host of this kind is a container, which no other user is in. */
    static final String KUBERNETES = "k8s://";

    /** Settings under which a host would join late, twice or not at all, and the value that they must have. */
    private static final Map<String, String> REQUIRED =
            Map.of("spark.dynamicAllocation.enabled", "false", "spark.speculation", "false");

    /** Settings that the tasks of a fleet need, unless the user has others. */
    public static final Map<String, String> USUAL = Map.of(
            // the other cipher of commons-crypto is a native library, unpacked before a plugin can look at its
            // directory
            "spark.network.crypto.config.cipher.classes", "org.apache.commons.crypto.cipher.JceCipher",
            // a task for each host: an executor only relays, and needs little
            "spark.executor.cores", "1",
            "spark.executor.memory", "512m",
            // executors register within seconds; Spark looks for the slots of a barrier stage again after 15
            "spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s",
            "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "120",
            // values of a table may be written to disks of hosts
            "spark.io.encryption.enabled", "true",
            // the other side could turn encryption off otherwise
            "spark.network.crypto.saslFallback", "false");

    /** And those of hosts: a lost one ends the stage, and the next process starts another. */
    public static final Map<String, String> OF_HOSTS =
            Map.of("spark.stage.maxConsecutiveAttempts", "1", "spark.task.maxFailures", "1");

    /** @throws IllegalArgumentException if a setting does not fit; the message has the one to change */
    public static void check(Map<String, String> settings) {
        REQUIRED.forEach((setting, value) -> {
            if (!settings.getOrDefault(setting, value).equals(value)) {
                throw new IllegalArgumentException(setting + " is " + settings.get(setting)
                        + ", but a fleet has a fixed number of hosts, each with one task; set " + setting + "="
                        + value);
            }
        });
        settings.forEach((setting, value) -> {
            if (SOCKETS.matcher(setting).matches()
                    && !WITHOUT_LIBRARY.contains(value.strip().toUpperCase(Locale.ROOT))) {
                throw new IllegalArgumentException(setting + " is " + value
                        + ", but executors of a fleet have sockets without a native library; set " + setting + "=NIO");
            }
        });
    }

    /**
     * The value of {@link #JAVA_OPTIONS}: executors have directories of their own for temporary files, into which netty
     * unpacks nothing. What the user has set counts.
     *
     * @param users the value that the user has set, or an empty text
     */
    public static String javaOptions(String master, String users) {
        return master.startsWith(KUBERNETES) ? users : (OWN_DIRECTORY + " " + NO_NATIVE_SOCKETS + " " + users).strip();
    }

    public void write(DataOutput out) throws IOException {
        out.writeInt(jars.size());
        for (String jar : jars) {
            out.writeUTF(jar);
        }
    }

    static Application read(DataInput in) throws IOException {
        String[] jars = new String[in.readInt()];
        for (int i = 0; i < jars.length; i++) {
            jars[i] = in.readUTF();
        }
        return new Application(new ArrayList<>(Arrays.asList(jars)));
    }
}
