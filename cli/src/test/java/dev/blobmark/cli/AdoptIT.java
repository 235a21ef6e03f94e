package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.lab.server.own.ServerOptions;
import dev.blobmark.mysql.client.JdbcDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The walk through docs/adopt.md: each of its blocks in their order. The application of the page runs during all of it,
 * and ends with an error if a value that it reads is not what was stored.
 */
@Tag("long")
class AdoptIT {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\n(.*?)^```$");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final int ORDERS = 2_000;

    /** Of all programs together; one that is about to fail does so before. */
    private static final int READS = 200;

    private final Map<String, String> environment = new HashMap<>();
    private final List<Program> programs = new ArrayList<>();
    private final List<String> commands = new ArrayList<>();
    private Connection owner;

    /** It measures while the next commands run. */
    private Optional<BlobmarkProcess> checking = Optional.empty();

    private String address;

    @TempDir
    private Path directory;

    /** One that was started with {@code &}. */
    private record Program(Process process, Path output) {

        String out() {
            try {
                return Files.readString(output);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void eachStepWorksAndTheApplicationReadsWhatItHasStored() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "adopt.md"));
        try (OwnServer server = OwnServer.start(BlobmarkProcess.CACHE, ServerOptions.of(64 << 20));
                Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            owner = connection;
            address = "127.0.0.1:" + server.endpoint().port();
            for (MatchResult block : BLOCK.matcher(page).results().toList()) {
                run(block.group(1), block.group(2));
            }
            // in a few seconds on a busy machine, an advice may not be confirmed
            assertThat(checking.orElseThrow().exitCode())
                    .as(checking.get().err())
                    .isIn(0, 99);
            assertThat(checking.get().out()).containsPattern("It (holds|does not hold any more): ");
            assertThat(commands)
                    .containsExactly(
                            "survey",
                            "advise",
                            "reencode",
                            "reencode",
                            "reencode",
                            "advise",
                            "reencode",
                            "reencode",
                            "reencode");
            assertThat(programs).hasSize(3);
            for (Program program : programs) {
                assertThat(program.process.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS))
                        .isTrue();
                assertThat(program.process.exitValue()).as(program.out()).isZero();
                assertThat(program.out()).matches("the shop is open\n[1-9][0-9]{2,} orders were what was stored\n");
            }
            assertThat(single("SELECT COUNT(*) FROM shop.orders")).isEqualTo(ORDERS);
            assertThat(single("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop'"))
                    .as("nothing is left behind")
                    .isOne();
        } finally {
            checking.ifPresent(BlobmarkProcess::close);
            programs.forEach(program -> program.process.destroyForcibly());
        }
    }

    private void run(String language, String text) throws Exception {
        switch (language) {
            case "sql" -> {
                for (String statement : text.split(";\n")) {
                    execute(statement);
                }
            }
            case "java" -> {
                Matcher name =
                        Pattern.compile("(?m)^(?:public )?final class (\\w+)").matcher(text);
                assertThat(name.find()).isTrue();
                Files.writeString(directory.resolve(name.group(1) + ".java"), text);
            }
            case "diff" -> apply(text, directory.resolve("Orders.java"));
            case "sh" -> {
                for (String line : text.lines().toList()) {
                    run(words(line.replace("db1", address)));
                }
            }
            default -> throw new AssertionError("a block of " + language);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = owner.createStatement()) {
            statement.execute(sql);
        }
    }

    private long single(String sql) throws SQLException {
        return number(sql, 1);
    }

    private long number(String sql, int column) throws SQLException {
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(column);
        }
    }

    /** Parts of a file are replaced, whose text is in it once. */
    private static void apply(String diff, Path file) throws IOException {
        String source = Files.readString(file);
        for (String hunk : diff.split("(?m)^@@\n")) {
            StringBuilder before = new StringBuilder();
            StringBuilder after = new StringBuilder();
            for (String line : hunk.lines().toList()) {
                String text = line.substring(1) + "\n";
                switch (line.charAt(0)) {
                    case ' ' -> {
                        before.append(text);
                        after.append(text);
                    }
                    case '-' -> before.append(text);
                    case '+' -> after.append(text);
                    default -> throw new AssertionError(line);
                }
            }
            assertThat(source).containsOnlyOnce(before);
            source = source.replace(before, after);
        }
        Files.writeString(file, source);
    }

    private static List<String> words(String line) {
        return WORD.matcher(line)
                .results()
                .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                .toList();
    }

    private void run(List<String> words) throws Exception {
        switch (words.get(0)) {
            case "export" -> {
                // the quotes of NAME='a value' are in the middle of a word
                String[] variable =
                        String.join(" ", words.subList(1, words.size())).split("=", 2);
                environment.put(variable[0], variable[1].replace("'", ""));
            }
            case "javac" -> compile(words);
            case "java" -> start(words);
            case "touch" -> {
                for (String file : words.subList(1, words.size())) {
                    Files.createFile(directory.resolve(file));
                }
                if (words.contains("encode")) {
                    await("values are encoded", () -> frames() > 10);
                }
            }
            case "rm" -> Files.delete(directory.resolve(words.get(1)));
            case "blobmark" -> blobmark(words.subList(1, words.size()));
            default -> throw new AssertionError("the command " + words);
        }
    }

    private void compile(List<String> words) throws IOException {
        Path target = Files.createDirectory(directory.resolve(words.get(words.indexOf("-d") + 1)));
        List<String> arguments =
                new ArrayList<>(List.of("-d", target.toString(), "-Xlint:all,-path", "-proc:none", "-Werror"));
        if (words.contains("-cp")) {
            arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
        }
        words.stream()
                .filter(word -> word.endsWith(".java"))
                .forEach(file -> arguments.add(directory.resolve(file).toString()));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    /** Starts a program, and waits until all programs have read much. */
    private void start(List<String> words) throws Exception {
        assertThat(words.get(words.size() - 1)).isEqualTo("&");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
        words.subList(1, words.size() - 1)
                .forEach(word -> command.add(word.replace("lib/*", System.getProperty("java.class.path"))));
        Path output = directory.resolve("program-" + programs.size());
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Program program = new Program(builder.start(), output);
        programs.add(program);
        await("the shop is open", () -> program.out().startsWith("the shop is open\n"));
        awaitReads();
    }

    private void awaitReads() throws Exception {
        long end = reads() + READS;
        await("the programs read", () -> reads() > end);
    }

    private long reads() throws SQLException {
        return number("SHOW GLOBAL STATUS LIKE 'Com_select'", 2);
    }

    private long frames() throws SQLException {
        return single("SELECT COUNT(*) FROM shop.orders WHERE LEFT(payload, 2) = X'BEC1'");
    }

    private void blobmark(List<String> words) throws Exception {
        commands.add(words.get(0));
        if (words.contains("--check")) {
            Path other = Files.createDirectory(directory.resolve("checking"));
            Files.createSymbolicLink(other.resolve("advice"), directory.resolve("advice"));
            BlobmarkProcess process = BlobmarkProcess.start(other, environment, words.toArray(String[]::new));
            checking = Optional.of(process);
            process.await("the sample is read", () -> process.err().contains(" are encoded in the value format"));
            return;
        }
        try (BlobmarkProcess process = BlobmarkProcess.start(directory, environment, words.toArray(String[]::new))) {
            assertThat(process.exitCode())
                    .as(words + process.err() + process.out())
                    .isZero();
            check(words, process.out());
        }
        awaitReads();
    }

    private void check(List<String> words, String out) throws SQLException {
        switch (words.get(0)) {
            case "survey" ->
                assertThat(out).contains("shop.orders.payload", "blobmark advise --data shop.orders.payload");
            case "advise" -> assertThat(out).containsPattern("table:shop\\.orders\\.payload: .* values, .*, JSON; ");
            case "reencode" -> {
                long frames = frames();
                if (words.contains("--dry-run")) {
                    assertThat(out).contains("shop.orders.payload, mediumblob: encode by zstd:3", " would be changed");
                    assertThat(frames).isLessThan(ORDERS);
                } else if (words.contains("--to")) {
                    assertThat(out).contains("Done: ", " of 2,000 rows changed");
                    assertThat(frames).isEqualTo(words.contains("none") ? 0 : ORDERS);
                } else if (words.contains("--verify")) {
                    assertThat(out).matches("(All )?\\d+ (of \\d+ )?ranges \\(2,000 rows\\) hold the same values .*\n");
                } else if (words.contains("--revert")) {
                    assertThat(out).contains("Taken back: ", " of 2,000 rows changed");
                    assertThat(frames)
                            .as("those that the shop had encoded before")
                            .isBetween(1L, ORDERS / 2L);
                } else {
                    assertThat(out).isEqualTo("The change is forgotten; the values stay as they are.\n");
                }
            }
            default -> throw new AssertionError(words);
        }
    }

    /** Something that may be so. */
    private interface Condition {
        boolean holds() throws Exception;
    }

    /** Waits until something holds; all programs that were not ended must run meanwhile. */
    private void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            for (Program program : programs) {
                assertThat(program.process.isAlive() || program.out().contains(" orders were what was stored"))
                        .as(what + ": " + program.out())
                        .isTrue();
            }
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
