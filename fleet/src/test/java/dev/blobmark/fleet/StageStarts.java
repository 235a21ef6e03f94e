package dev.blobmark.fleet;

import java.io.IOException;
import java.io.Reader;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * How far apart the tasks of a Spark barrier stage begin, the alternative to orders over connections:
 * {@code bench/evidence/fleet-stages [HOSTS] [STAGES]}. Each stage is one as a group of windows would need. Runs in a
 * process of Spark.
 */
public final class StageStarts {

    private StageStarts() {}

    /** A function that Spark sends to the hosts. */
    private interface Task<A, B> extends Function1<A, B>, Serializable {}

    /** @param arguments the master, number of hosts, number of stages, jar with this class, file with the settings */
    public static void main(String[] arguments) throws IOException {
        int hosts = Integer.parseInt(arguments[1]);
        int stages = Integer.parseInt(arguments[2]);
        SparkConf conf = new SparkConf()
                .setAppName("stages")
                .setMaster(arguments[0])
                .set("spark.jars", arguments[3])
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.executor.cores", "1")
                .set("spark.executor.memory", "512m")
                .set("spark.cores.max", Integer.toString(hosts))
                .set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s");
        Properties settings = new Properties();
        try (Reader text = Files.newBufferedReader(Paths.get(arguments[4]))) {
            settings.load(text);
        }
        settings.stringPropertyNames().forEach(key -> conf.set(key, settings.getProperty(key)));
        double[] apart = new double[stages];
        double[] took = new double[stages];
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            for (int stage = -1; stage < stages; stage++) { // the first one waits for executors
                long begin = System.nanoTime();
                long[] starts = starts(spark, hosts);
                if (stage >= 0) {
                    took[stage] = (System.nanoTime() - begin) / 1e6;
                    apart[stage] = (starts[hosts - 1] - starts[0]) / 1e6;
                }
            }
        }
        Arrays.sort(apart);
        Arrays.sort(took);
        System.out.printf(
                Locale.ROOT,
                "%d hosts, %d stages: tasks begin %.2f ms apart (median), %.2f (p99), %.2f (most); a stage takes %.1f ms (median)%n",
                hosts,
                stages,
                apart[stages / 2],
                apart[(int) Math.min(stages - 1, 0.99 * stages)],
                apart[stages - 1],
                took[stages / 2]);
    }

    /** When each task has begun, by the clock of this machine, in rising order. */
    private static long[] starts(JavaSparkContext spark, int hosts) {
        Task<scala.collection.Iterator<Integer>, scala.collection.Iterator<Long>> now = numbers -> {
            Iterator<Long> one = Collections.singletonList(Instant.EPOCH.until(Instant.now(), ChronoUnit.NANOS))
                    .iterator();
            return CollectionConverters.asScala(one);
        };
        List<Integer> numbers = IntStream.range(0, hosts).boxed().collect(Collectors.toList());
        Object collected = spark.parallelize(numbers, hosts)
                .rdd()
                .barrier()
                .mapPartitions(now, false, ClassTag$.MODULE$.apply(Long.class))
                .collect();
        return Arrays.stream((Object[]) collected)
                .mapToLong(start -> (Long) start)
                .sorted()
                .toArray();
    }
}
