package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubprocessTest {

    /** A JVM with passwords in its environment, which starts a program that prints its own. */
    static final class Parent {

        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            Subprocess.of("env").inheritIO().start().waitFor();
            Subprocess.of(List.of("env")).inheritIO().start().waitFor();
        }
    }

    @Test
    void passwordsAreNotInherited() throws Exception {
        ProcessBuilder parent = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Parent.class.getName());
        parent.environment()
                .putAll(Map.of(
                        "BLOBMARK_PASSWORD", "secret-1",
                        "MYSQL_PWD", "secret-2",
                        "REDISCLI_AUTH", "secret-3",
                        "VALKEYCLI_AUTH", "secret-4",
                        "OF_THE_USER", "kept"));

        assertThat(printed(parent.redirectErrorStream(true).start()))
                .contains("OF_THE_USER=kept")
                .doesNotContain("secret");
    }

    private static String printed(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
