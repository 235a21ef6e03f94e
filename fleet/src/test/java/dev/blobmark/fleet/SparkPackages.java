package dev.blobmark.fleet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Packages for Spark that the build has downloaded: Avro and Delta. */
record SparkPackages(List<Path> jars) {

    /** Without the first two, Delta neither reads nor writes; by itself, it has 50 tasks for the log of a table. */
    static final Map<String, Object> DELTA = Map.of(
            "spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.snapshotPartitions", "1");

    private static final Pattern NAME = Pattern.compile("(.+)-([0-9.]+)\\.jar");

    static SparkPackages find() throws IOException {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(Path.of("target", "packages").toAbsolutePath(), "*.jar")) {
            files.forEach(jars::add);
        }
        return new SparkPackages(jars);
    }

    /** The jars, with a character between them. */
    String joined(String between) {
        return jars.stream().map(Path::toString).collect(Collectors.joining(between));
    }

    /**
     * The settings with which Spark looks for the packages as it does at Maven Central, but without a network.
     *
     * @param scratch directory for what Spark keeps of them
     */
    Map<String, String> settings(Path scratch) throws IOException {
        Path settings = Files.writeString(
                scratch.resolve("ivysettings.xml"), """
                <ivysettings>
                  <settings defaultResolver="downloaded"/>
                  <resolvers>
                    <filesystem name="downloaded"><artifact pattern="%s/[artifact]-[revision].[ext]"/></filesystem>
                  </resolvers>
                </ivysettings>
                """.formatted(jars.get(0).getParent()));
        return Map.of(
                "spark.jars.packages",
                jars.stream().map(SparkPackages::coordinates).collect(Collectors.joining(",")),
                "spark.jars.ivySettings",
                settings.toString(),
                "spark.jars.ivy",
                scratch.resolve("ivy").toString());
    }

    private static String coordinates(Path jar) {
        Matcher name = NAME.matcher(jar.getFileName().toString());
        if (!name.matches()) {
            throw new IllegalStateException(jar + " has no version");
        }
        String group = name.group(1).startsWith("delta-") ? "io.delta" : "org.apache.spark";
        return group + ":" + name.group(1) + ":" + name.group(2);
    }
}
