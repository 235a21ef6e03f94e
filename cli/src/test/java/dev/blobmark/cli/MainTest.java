package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MainTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void versionComesFromTheBuildAndNamesTheJvm() {
        assertThat(run("--version")).isEqualTo(0);

        assertThat(out.toString().lines())
                .satisfiesExactly(
                        blobmark -> assertThat(blobmark)
                                .matches("blobmark \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?( \\([0-9a-f]{7,40}(-dirty)?\\))?"),
                        build -> assertThat(build).matches("Built with JDK \\d+[^$]*"),
                        jvm -> assertThat(jvm)
                                .startsWith("JVM: ")
                                .contains(Runtime.version().toString().split("\\+")[0]),
                        os -> assertThat(os)
                                .startsWith("OS: ")
                                .contains(System.getProperty("os.name"), System.getProperty("os.arch")));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void helpListsEveryExitCode() {
        assertThat(run("--help")).isEqualTo(0);

        assertThat(out.toString()).startsWith("Usage: blobmark ");
        String[] exitCodes = Main.class.getAnnotation(Command.class).exitCodeList();
        assertThat(out.toString().replaceAll("\\s+", " ")) // long lines are wrapped
                .contains(Arrays.stream(exitCodes)
                        .map(line -> line.replaceFirst(":", " "))
                        .collect(Collectors.joining(" ")));
        assertThat(exitCodes)
                .extracting(line -> Integer.valueOf(line.substring(0, line.indexOf(':'))))
                .containsExactlyElementsOf(
                        Arrays.stream(ExitCode.values()).map(ExitCode::code).toList());
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aMissingCommandIsAUsageError() {
        assertThat(run()).isEqualTo(2);

        assertThat(err.toString())
                .startsWith("blobmark: a command is missing. The first ones:\n")
                .contains("\n  blobmark run blob-fetch ", "\n  blobmark help, help run ")
                .endsWith("\nSee 'blobmark --help'.\n");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aMistypedOptionIsNamedWithTheNearestOne() {
        assertThat(run("--versoin")).isEqualTo(2);

        assertThat(err.toString()).contains("blobmark: unknown option '--versoin'; did you mean '--version'?");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aMistypedCommandIsNamedWithTheNearestOne() {
        assertThat(run(() -> 0, "faill")).isEqualTo(2);

        assertThat(err.toString()).contains("blobmark: unknown command 'faill'; did you mean 'fail'?");
    }

    @Test
    void anErrorIsOneLineWithoutAStackTrace() {
        assertThat(run(fail(new IllegalStateException("the layout is gone")), "fail"))
                .isEqualTo(1);

        assertThat(err.toString().lines()).containsExactly("blobmark: the layout is gone");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void debugShowsTheStackTraceWhereverItStands() {
        for (String[] args : new String[][] {{"--debug", "fail"}, {"fail", "--debug"}}) {
            err.getBuffer().setLength(0);

            assertThat(run(fail(new IllegalStateException("the layout is gone")), args))
                    .isEqualTo(1);

            assertThat(err.toString().lines().findFirst()).contains("blobmark: the layout is gone");
            assertThat(err.toString()).contains("at " + MainTest.class.getName());
        }
    }

    @Test
    void aMissingFileIsNamedInWords() {
        Path missing = Path.of("no-such-directory", "study.yaml");

        assertThat(run(() -> Files.size(missing) > 0 ? 0 : 1, "fail")).isEqualTo(1);
        assertThat(run(fail(new UncheckedIOException(new NoSuchFileException("run.json"))), "fail"))
                .isEqualTo(1);

        assertThat(err.toString().lines())
                .containsExactly("blobmark: " + missing + " does not exist", "blobmark: run.json does not exist");
    }

    @Test
    void anExceptionWithoutAMessageIsStillNamed() {
        assertThat(run(fail(new NullPointerException()), "fail")).isEqualTo(1);

        assertThat(err.toString().lines())
                .containsExactly("blobmark: internal error: java.lang.NullPointerException (--debug shows where)");
    }

    @Test
    void aServerThatCannotBeReachedHasItsOwnExitCode() {
        // port 1 (tcpmux) is closed on any machine that a test runs on
        for (String url : new String[] {"jdbc:mysql://127.0.0.1:1/", "jdbc:mariadb://127.0.0.1:1/"}) {
            Callable<Integer> connect = () -> {
                try (var connection = DriverManager.getConnection(url + "?connectTimeout=5000")) {
                    return connection.isValid(1) ? 0 : 1;
                } catch (SQLException e) {
                    throw new IllegalStateException("cannot connect to " + url, e);
                }
            };

            assertThat(run(connect, "fail")).as(url).isEqualTo(3);
            assertThat(err.toString()).contains("blobmark: cannot connect to " + url);
        }
    }

    private static Callable<Integer> fail(RuntimeException e) {
        return () -> {
            throw e;
        };
    }

    private int run(String... args) {
        return execute(Main.commandLine(), args);
    }

    /** Runs with one more command, {@code fail}, whose body is given. */
    private int run(Callable<Integer> body, String... args) {
        @Command(name = "fail")
        class Fail implements Callable<Integer> {
            @Override
            public Integer call() throws Exception {
                return body.call();
            }
        }
        CommandLine main = Main.commandLine().addSubcommand("fail", new Fail());
        // a handler reaches the commands that are there when it is set, as Main's own are
        main.setParameterExceptionHandler(main.getParameterExceptionHandler());
        main.setExecutionExceptionHandler(main.getExecutionExceptionHandler());
        main.setExitCodeExceptionMapper(main.getExitCodeExceptionMapper());
        return execute(main, args);
    }

    private int execute(CommandLine commandLine, String... args) {
        return commandLine
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .execute(args);
    }
}
