package dev.blobmark.lab.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.study.Design;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class JvmTest {

    private static final String HOME = System.getProperty("java.home");

    @TempDir
    private Path directory;

    /** A JVM's home whose java is a script. */
    private String home(String script) throws IOException {
        Path java = Files.createDirectories(directory.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\n" + script);
        assertThat(java.toFile().setExecutable(true)).isTrue();
        return directory.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/bin/java", "/lib/../bin/java"})
    void aHomeAndItsBinaryAreOneLevel(String end) {
        assertThat(Jvm.FACTOR.canonical(HOME + end)).isEqualTo(Jvm.FACTOR.canonical(HOME));
        assertThat(Jvm.FACTOR.parse(HOME + end).java()).isEqualTo(Path.of(HOME, "bin", "java"));
    }

    @Test
    void theHomeOfTheUserIsNotTold() {
        String home = System.getProperty("user.home");

        for (String level : List.of(home + "/jdks/25", "~/jdks/25", home + "/jdks/25/bin/java")) {
            assertThat(Jvm.FACTOR.canonical(level)).isEqualTo("~/jdks/25");
            assertThat(Jvm.FACTOR.parse(level).java()).isEqualTo(Path.of(home, "jdks", "25", "bin", "java"));
        }
        assertThat(Jvm.FACTOR.canonical("/opt/jdk")).isEqualTo("/opt/jdk");
        assertThat(Jvm.FACTOR.canonical("default")).isEqualTo("default");
    }

    @Test
    void aJvmTellsWhatItIsAndNoSecret() throws Exception {
        Machine.MeasuringJvm found =
                Jvm.FACTOR.parse(HOME).inspect(List.of("-Xmx64m", "-XX:+UseSerialGC", "-Dpassword=hunter2"));

        assertThat(found.vendor()).isEqualTo(System.getProperty("java.vendor"));
        assertThat(found.version()).isEqualTo(System.getProperty("java.runtime.version"));
        assertThat(found.flags()).containsExactly("-Xmx64m", "-XX:+UseSerialGC", "-Dpassword=…");
        assertThat(Jvm.FACTOR.parse("default").inspect(List.of("-Xmx64m")).version())
                .isEqualTo(found.version());
    }

    private static void assertRefused(String level, List<String> flags, String... words) {
        assertThatThrownBy(() -> Jvm.FACTOR.parse(level).inspect(flags))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void aPathWithoutAJvmIsRefused() {
        assertRefused(
                directory.resolve("none").toString(),
                List.of(),
                "jvm '" + directory.resolve("none") + "' cannot measure: there is no bin/java in it; ",
                "give the path of a JDK 17 or newer, or of its bin/java");
    }

    @Test
    void flagsThatTheJvmDoesNotKnowAreRefused() {
        assertRefused(
                HOME,
                List.of("-XX:+NoSuchFlag"),
                "jvm '" + Jvm.FACTOR.canonical(HOME)
                        + "' cannot measure: it does not start with the flags of measuring JVMs: "
                        + "Unrecognized VM option 'NoSuchFlag'; change --jvm-flags, or use another JVM");
        assertRefused(HOME, List.of("NoSuchFlag"), "NoSuchFlag", "; change --jvm-flags, or use another JVM");
    }

    /** As Java 8 and 11 answer: both refuse a flag that they do not know. */
    @ParameterizedTest
    @ValueSource(strings = {"1.8", "11"})
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a script stands for the JVM")
    void anOldJvmIsRefusedForItsAgeWhateverTheFlags(String version) throws Exception {
        String home = home("""
                case $* in *--enable-native-access*) echo "Unrecognized option: $1"; exit 1;; esac
                echo "Property settings:" >&2
                echo "    java.runtime.version = %1$s.0.29" >&2
                echo "    java.specification.version = %1$s" >&2
                echo "    java.vendor = Somebody" >&2
                """.formatted(version));

        assertRefused(
                home,
                List.of("--enable-native-access=ALL-UNNAMED"),
                "jvm '" + home + "' cannot measure: it is Java " + version.replace("1.", "")
                        + ", and measuring needs 17 or newer; give the path of a newer JDK");
    }

    /** The home of a JVM with such a file of its version. */
    private void install(String place, String name, String release) throws IOException {
        Path home = Files.createDirectories(directory.resolve(place).resolve(name));
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(home.resolve("release"), release);
    }

    @Test
    void theOldestAndTheNewestAreFoundWithoutStartingThem() throws Exception {
        int own = Runtime.version().feature();
        install("a", "jdk-11", "JAVA_VERSION=\"11.0.2\"\n");
        install("a", "jdk-998", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"998.0.1\"\nOS_NAME=\"Linux\"\n");
        install("a", "jdk-own", "JAVA_VERSION=\"" + own + "\"\n");
        install("a", "not-java", "VERSION=\"999\"\n");
        install("b", "jdk-998-again", "JAVA_VERSION=\"998\"\n");
        install("b", "jdk-997/Contents/Home", "JAVA_VERSION=\"997.1\"\n");
        Files.createDirectories(directory.resolve("a").resolve("empty"));
        Files.writeString(directory.resolve("a").resolve("file"), "");
        InstalledJvms installed =
                new InstalledJvms(List.of(directory.resolve("a"), directory.resolve("none"), directory.resolve("b")));

        assertThat(installed.byVersion())
                .containsExactly(
                        Map.entry(own, Path.of(HOME)),
                        Map.entry(997, directory.resolve("b/jdk-997/Contents/Home")),
                        Map.entry(998, directory.resolve("a/jdk-998")));
        Jvm oldest = Jvm.FACTOR.parse("oldest");
        Jvm newest = Jvm.FACTOR.parse("newest");
        assertThat(oldest.home(installed)).isEqualTo(Path.of(HOME));
        assertThat(newest.home(installed)).isEqualTo(directory.resolve("a/jdk-998"));
        assertThat(List.of(oldest, newest)).allSatisfy(jvm -> {
            assertThat(jvm.unavailable(installed)).isEmpty();
            assertThat(jvm.program()).isEmpty();
            assertThat(jvm.isDefault()).isFalse();
        });
    }

    @Test
    void aMachineWithOneVersionHasNoOtherJvm() {
        InstalledJvms one = new InstalledJvms(List.of(directory));

        assertThat(Jvm.FACTOR.parse("oldest").unavailable(one)).isEmpty();
        assertThat(Jvm.FACTOR.parse("newest").unavailable(one))
                .hasValue("this machine has only Java " + Runtime.version().feature() + ", of those from 17 on in "
                        + directory + "; install another one there, or name it: --jvm default,PATH");
        assertThat(Jvm.FACTOR.parse(HOME).unavailable(one)).isEmpty();
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a script stands for the JVM")
    void aProgramThatIsNoJvmIsRefused() throws Exception {
        assertRefused(
                home("echo 'I make coffee'"),
                List.of(),
                "does not print a Java version: I make coffee; give the path of a JDK 17 or newer");
        assertRefused(
                home("exit 3"), List.of(), "does not print a Java version: it ends with code 3 and prints nothing; ");
    }

    @Test
    void aProcessTakesAThread() {
        assertThat(Processes.moreThanThreads(Design.of(Map.of("threads", "8", "processes", "8"))))
                .isEmpty();
        assertThat(Processes.moreThanThreads(Design.of(Map.of("processes", "2"))))
                .hasValue("processes is 2, but threads 1, and each process needs one; set threads to 2 or more, or"
                        + " processes to 1");
        for (String level : List.of("0", "257", "two", "")) {
            assertThatThrownBy(() -> Processes.FACTOR.parse(level))
                    .hasMessage("processes '" + level + "' is not a number between 1 and 256");
        }
    }
}
