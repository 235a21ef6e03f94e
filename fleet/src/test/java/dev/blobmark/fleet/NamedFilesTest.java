package dev.blobmark.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.hosts.Cluster.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spark loads, or its settings name, and others may replace. */
class NamedFilesTest {

    @TempDir
    private Path directory;

    private Path lib;
    private Path jar;

    @BeforeEach
    void make() throws IOException {
        lib = Files.createDirectory(directory.resolve("lib"));
        jar = Files.createFile(lib.resolve("a.jar"));
    }

    private static Path open(Path path) throws IOException {
        return Files.setAttribute(path, "unix:mode", 0777);
    }

    private void accept(String key, String value) throws IOException {
        NamedFiles.requireOwn(Map.of(key, value.replace("LIB", lib.toString())));
    }

    private void assertRefused(String key, String value, Path open) {
        assertThatThrownBy(() -> accept(key, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("other users may write to " + open)
                .hasMessageContaining(key);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            spark.jars                                       | LIB/a.jar
            spark.jars                                       | hdfs://h/b.jar,file:LIB/a.jar
            spark.jars                                       | file://LIB/a.jar
            spark.jars                                       | LIB/*.jar
            spark.jars                                       | LIB/[a-c].{jar,zip}
            spark.jars                                       | LIB*/?.jar
            spark.files                                      | LIB/a.jar#alias
            spark.archives                                   | LIB
            spark.submit.pyFiles                             | LIB/a.jar
            spark.yarn.dist.jars                             | LIB/a.jar
            spark.jars.ivySettings                           | LIB/a.jar
            spark.jars.ivy                                   | LIB
            spark.driver.extraClassPath                      | /none:LIB/a.jar
            spark.driver.extraClassPath                      | LIB/*
            spark.driver.extraClassPath                      | LIB
            spark.driver.extraLibraryPath                    | LIB
            spark.executor.extraClassPath                    | LIB/*
            spark.driver.extraJavaOptions                    | -Dlog4j2.configurationFile=file:LIB/a.jar
            spark.driver.extraJavaOptions                    | -Dx=1 -javaagent:LIB/a.jar=option
            spark.driver.defaultJavaOptions                  | '"-Xbootclasspath/a:LIB/a.jar"'
            spark.driver.extraJavaOptions                    | @LIB/a.jar
            spark.driver.extraJavaOptions                    | -Djava.library.path=/none:LIB
            spark.driver.extraJavaOptions                    | -Dorg.xerial.snappy.tempdir=LIB
            spark.executor.extraJavaOptions                  | -agentpath:LIB/a.jar
            spark.ssl.rpc.trustStore                         | LIB/a.jar
            spark.ssl.keyStore                               | LIB/a.jar
            spark.ssl.rpc.certChain                          | LIB/a.jar
            spark.metrics.conf                               | LIB/a.jar
            spark.driver.resource.gpu.discoveryScript        | LIB/a.jar
            spark.hadoop.security.credential.provider.path   | jceks://file/LIB/a.jar
            spark.any                                        | x=LIB/a.jar;y
            """)
    void aFileThatOthersMayReplaceIsRefusedBySettingAndName(String key, String value) throws IOException {
        accept(key, value);
        open(jar);
        assertRefused(key, value, jar);
        Files.setAttribute(jar, "unix:mode", 0644);
        open(lib);
        assertRefused(key, value, lib);
    }

    @ParameterizedTest
    @ValueSource(strings = {"LIB/link.jar", "LIB/li*"})
    void aLinkToAFileOfOthersIsRefused(String value) throws IOException {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.createSymbolicLink(lib.resolve("link.jar"), Files.createFile(elsewhere.resolve("b.jar")));
        accept("spark.jars", value);
        open(elsewhere);
        assertRefused("spark.jars", value, elsewhere);
    }

    /** A relative path is one of the directory in which Blobmark was started. */
    @Test
    void relativePathsAreFound() throws IOException {
        Path relative = Path.of("").toAbsolutePath().relativize(jar);
        open(jar);
        for (Map.Entry<String, String> setting : Map.of(
                        "spark.jars", relative.toString(),
                        "spark.driver.extraJavaOptions", "-javaagent:" + relative,
                        "spark.ssl.rpc.trustStore", relative.toString())
                .entrySet()) {
            assertThatThrownBy(() -> accept(setting.getKey(), setting.getValue()))
                    .hasMessageContaining("other users may write to ")
                    .hasMessageContaining("replace " + relative + ", which " + setting.getKey());
        }
    }

    /** Otherwise they would make it after the check. */
    @ParameterizedTest
    @CsvSource({
        "spark.jars, LIB/none/b.jar",
        "spark.driver.extraClassPath, LIB/b.jar",
        "spark.jars.ivy, LIB/ivy",
        "spark.driver.extraJavaOptions, -Djna.library.path=LIB/none"
    })
    void whatIsMissingMustNotBeMadeByOthers(String key, String value) throws IOException {
        accept(key, value);
        Files.setAttribute(lib, "unix:mode", 01777);
        assertRefused(key, value, lib);
    }

    @Test
    void aLinkToNothingAndAVariableAreRefused() throws IOException {
        Files.createSymbolicLink(lib.resolve("link.jar"), Path.of("/tmp/none.jar"));
        assertThatThrownBy(() -> accept("spark.jars", "LIB/link.jar")).hasMessageContaining("does not exist");
        assertThatThrownBy(() -> accept("spark.jars", "${env:HOME}/a.jar")).hasMessageContaining("has a variable");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            spark.local.dir                 | LIB
            spark.eventLog.dir              | file:LIB
            spark.jars                      | hdfs://LIB/a.jar
            spark.jars                      | s3a://bucket/LIB/a.jar
            spark.executor.extraClassPath   | LIB/only-on-hosts.jar
            spark.executor.extraJavaOptions | -Djava.io.tmpdir=LIB -XX:HeapDumpPath=LIB
            spark.app.name                  | and/or
            """)
    void whatIsNoCodeOfThisMachineIsAccepted(String key, String value) throws IOException {
        open(lib);
        accept(key, value);
    }

    @Test
    void settingsOfAFileAndOfTheCommandLineAreLookedAt() throws IOException {
        open(jar);
        Map<String, String> settings = Map.of("spark.jars", jar.toString());
        Request request = new Request("spark://m:1", 3, settings, Optional.empty(), false, directory, notice -> {});

        assertThatThrownBy(() -> SparkSettings.read(request, name -> null)).hasMessageContaining("spark.jars");
    }

    @Test
    void eachJarOfAnInstallationMustBeSafe() throws IOException {
        Path home = Files.createDirectory(directory.resolve("home"));
        Path jars = Files.createDirectory(home.resolve("jars"));
        Path core = Files.createFile(jars.resolve("spark-core_2.13-4.2.0.jar"));
        Path upper = Files.createFile(jars.resolve("B.JAR"));
        open(Files.createFile(jars.resolve("README"))); // no JVM loads it
        assertThat(ClassPath.ofHome(home.toString())).isEqualTo(jars + "/*");
        for (Path each : List.of(core, upper)) {
            open(each);
            assertThatThrownBy(() -> ClassPath.ofHome(home.toString()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("other users may write to " + each)
                    .hasMessageContaining("SPARK_HOME, " + home);
            Files.setAttribute(each, "unix:mode", 0644);
        }
        Files.createSymbolicLink(jars.resolve("link.jar"), jar);
        ClassPath.ofHome(home.toString());
        open(lib);
        assertThatThrownBy(() -> ClassPath.ofHome(home.toString()))
                .hasMessageContaining("other users may write to " + lib);
    }

    @Test
    void aFileWithAClassPathMustBeSafeAndAllThatItNames() throws IOException {
        Path classes = Files.createDirectories(directory.resolve("classes/a"));
        Path type = Files.createFile(classes.resolve("B.class"));
        Path list = Files.writeString(directory.resolve("list"), classes.getParent() + ":" + lib + "/*:" + jar + "\n");
        assertThat(ClassPath.ofFile(list)).endsWith(jar.toString());
        for (Path each : List.of(jar, type, classes, list)) {
            Object before = Files.getAttribute(each, "unix:mode");
            open(each);
            assertThatThrownBy(() -> ClassPath.ofFile(list))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("other users may write to " + each)
                    .hasMessageContaining(list.toString());
            Files.setAttribute(each, "unix:mode", before);
        }
    }
}
