package dev.blobmark.fleet.host;

import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkFiles;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** The tasks of the hosts as one barrier stage: all of them run at once, or none. */
final class HostStage {

    private HostStage() {}

    /** A function that Spark sends to the hosts. */
    private interface HostFunction<A, B> extends Function1<A, B>, Serializable {}

    /**
     * Runs a task on each host, and returns when all have ended.
     *
     * @param blobmark the process that gives the tasks their orders
     * @param count number of hosts
     * @param jars names of the files of the class path of processes
     */
    static void run(JavaSparkContext spark, Address blobmark, int count, List<String> jars) {
        HostFunction<scala.collection.Iterator<Integer>, scala.collection.Iterator<Integer>> each = numbers -> {
            List<String> files = jars.stream().map(SparkFiles::get).toList();
            files.forEach(file -> new File(file).deleteOnExit()); // the worker keeps the directory for a week
            try {
                new HostTask(blobmark, files, FleetPlugin::register).run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Iterator<Integer> none = Collections.emptyIterator();
            return CollectionConverters.asScala(none);
        };
        spark.parallelize(IntStream.range(0, count).boxed().collect(Collectors.toList()), count)
                .rdd()
                .barrier()
                .mapPartitions(each, false, ClassTag$.MODULE$.apply(Integer.class))
                .collect();
    }
}
