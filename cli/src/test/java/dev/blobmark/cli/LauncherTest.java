package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JVM that the launcher starts, with {@code echo} in its place. */
class LauncherTest {

    @TempDir
    private Path cache;

    @ParameterizedTest
    @CsvSource({
        "report, true",
        "list, true",
        "show, true",
        "help, true",
        "version, true",
        "generate-completion, true",
        "--help, true",
        "run, false",
        "compare, false",
        "doctor, false"
    })
    void shortCommandsStartWithoutTheOptimizingCompiler(String command, boolean isShort) throws Exception {
        ProcessBuilder shell = new ProcessBuilder(
                "sh", "-euc", ". src/main/sh/jvm.sh; java=echo; start_jvm classes \"$@\"", "sh", command, "more");
        shell.environment().put("XDG_CACHE_HOME", cache.toString());
        shell.environment().remove("BLOBMARK_OPTS");
        Process started = shell.redirectErrorStream(true).start();
        String line = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(started.waitFor()).as(line).isZero();
        assertThat(line).endsWith(" -cp classes dev.blobmark.cli.Main " + command + " more\n");
        assertThat(line.contains(" -XX:TieredStopAtLevel=1 ")).isEqualTo(isShort);
    }
}
