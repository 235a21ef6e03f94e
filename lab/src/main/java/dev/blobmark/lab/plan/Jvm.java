package dev.blobmark.lab.plan;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.study.Factor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A JVM that measures: a level of the factor {@code jvm}.
 *
 * @param level {@code default} for the JVM that runs the lab; {@code oldest} or {@code newest} of those that the
 *     machine has; or the absolute path of a JAVA_HOME, with {@code ~} for the user's home
 */
public record Jvm(String level) {

    private static final String DEFAULT = "default";

    private static final String OLDEST = "oldest";

    private static final String NEWEST = "newest";

    /** Levels that are not paths. */
    private static final Set<String> WORDS = Set.of(DEFAULT, OLDEST, NEWEST);

    public static final Factor<Jvm> FACTOR = new Factor<>(
            "jvm",
            Factor.Home.METHOD,
            Set.of(),
            Set.of(),
            "the JVM that measures",
            List.of(DEFAULT, OLDEST, NEWEST, "PATH"),
            Optional.of(DEFAULT),
            Jvm::parse,
            Jvm::level);

    static final int MIN_VERSION = 17;

    /** A JVM starts within a second. A program that is not a JVM may run forever. */
    private static final long TIMEOUT_SECONDS = 60;

    private static final int MAX_OUTPUT_BYTES = 1 << 20;

    private static final int MAX_MESSAGE_LINES = 3;

    /** The line that a JVM prints after the reason for which it does not start. */
    private static final Pattern GENERIC_ERROR =
            Pattern.compile("^Error: (Could not create the Java Virtual Machine|A fatal exception has occurred)");

    /** A line of {@code -XshowSettings:properties}. */
    private static final Pattern PROPERTY = Pattern.compile("(?m)^ {4}(java\\.[a-z.]+) = (.*)$");

    /** Parses a level. {@link #inspect} checks whether there is such a JVM on this machine. */
    private static Jvm parse(String level) {
        if (WORDS.contains(level)) {
            return new Jvm(level);
        }
        Path home = Path.of(System.getProperty("user.home"));
        Path path = (level.startsWith("~/") ? home.resolve(level.substring(2)) : Path.of(level))
                .toAbsolutePath()
                .normalize();
        if (path.endsWith(Path.of("bin", "java"))) {
            path = path.getParent().getParent();
        }
        return new Jvm(path.startsWith(home) && !path.equals(home) ? "~/" + home.relativize(path) : path.toString());
    }

    /** The binary that the level names, with {@code ~} for the user's home; empty if it does not name one. */
    public Optional<String> program() {
        return WORDS.contains(level) ? Optional.empty() : Optional.of(level + "/bin/java");
    }

    /** Whether it is the JVM that runs the lab by its level, and not only on this machine. */
    public boolean isDefault() {
        return level.equals(DEFAULT);
    }

    /** Why a level cannot be measured on this machine; empty if it can, or names a path. */
    public Optional<String> unavailable() {
        return unavailable(InstalledJvms.usual());
    }

    /** The only version that a machine has is its oldest one. */
    Optional<String> unavailable(InstalledJvms installed) {
        SortedMap<Integer, Path> homes = installed.byVersion();
        return level.equals(NEWEST) && homes.size() == 1
                ? Optional.of("this machine has only Java " + homes.firstKey() + ", of those from " + MIN_VERSION
                        + " on in "
                        + installed.places().stream().map(Path::toString).collect(Collectors.joining(", "))
                        + "; install another one there, or name it: --jvm default,PATH")
                : Optional.empty();
    }

    /** The binary to start. */
    public Path java() {
        return home(InstalledJvms.usual()).resolve("bin").resolve("java");
    }

    Path home(InstalledJvms installed) {
        return switch (level) {
            case DEFAULT -> Path.of(System.getProperty("java.home"));
            case OLDEST -> installed.byVersion().get(installed.byVersion().firstKey());
            case NEWEST -> installed.byVersion().get(installed.byVersion().lastKey());
            default ->
                level.startsWith("~/") ? Path.of(System.getProperty("user.home"), level.substring(2)) : Path.of(level);
        };
    }

    /**
     * Starts this JVM with the flags of measuring JVMs, and reads its vendor and version.
     *
     * @throws IllegalArgumentException if it cannot measure; the message has the reason and the remedy
     */
    public Machine.MeasuringJvm inspect(List<String> flags) throws InterruptedException {
        if (!Files.isExecutable(java())) {
            throw unusable("there is no bin/java in it", "give the path of a JDK 17 or newer, or of its bin/java");
        }
        JvmOutput answer = ask(flags);
        // an old JVM may not know the flags, so its version is read without them
        JvmOutput plain = answer.isJava() ? answer : ask(List.of());
        if (!plain.isJava()) {
            throw unusable(
                    "its bin/java does not print a Java version: " + plain.message(),
                    "give the path of a JDK 17 or newer, or of its bin/java");
        }
        if (plain.version() < MIN_VERSION) {
            throw unusable(
                    "it is Java " + plain.version() + ", and measuring needs " + MIN_VERSION + " or newer",
                    "give the path of a newer JDK");
        }
        if (!answer.isJava()) {
            throw unusable(
                    "it does not start with the flags of measuring JVMs: " + answer.message(),
                    "change --jvm-flags, or use another JVM");
        }
        return Machine.MeasuringJvm.of(
                answer.properties.get("java.vendor"), answer.properties.get("java.runtime.version"), flags);
    }

    private IllegalArgumentException unusable(String reason, String remedy) {
        return new IllegalArgumentException("jvm '" + level + "' cannot measure: " + reason + "; " + remedy);
    }

    private JvmOutput ask(List<String> flags) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of(java().toString()));
        command.addAll(flags);
        command.addAll(List.of("-XshowSettings:properties", "-version"));
        try {
            Process process = Subprocess.of(command).redirectErrorStream(true).start();
            CompletableFuture.delayedExecutor(TIMEOUT_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
            process.getOutputStream().close();
            String text;
            try (InputStream printed = process.getInputStream()) {
                text = new String(printed.readNBytes(MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
            }
            return new JvmOutput(process.waitFor(), text);
        } catch (IOException e) {
            throw new UncheckedIOException("jvm '" + level + "' cannot be started: " + e.getMessage(), e);
        }
    }

    /** What a JVM prints. */
    private record JvmOutput(int exitCode, String text, Map<String, String> properties) {

        JvmOutput(int exitCode, String text) {
            this(
                    exitCode,
                    text,
                    PROPERTY.matcher(text)
                            .results()
                            .collect(Collectors.toMap(
                                    line -> line.group(1), line -> line.group(2).strip(), (one, other) -> one)));
        }

        boolean isJava() {
            return exitCode == 0
                    && properties.keySet().containsAll(List.of("java.vendor", "java.runtime.version"))
                    && version() > 0;
        }

        /** 17 for {@code 17}, 8 for {@code 1.8}; 0 if it is not known. */
        int version() {
            return Pattern.compile("^(?:1\\.)?(\\d{1,4})$")
                    .matcher(properties.getOrDefault("java.specification.version", ""))
                    .results()
                    .mapToInt((MatchResult found) -> Integer.parseInt(found.group(1)))
                    .findFirst()
                    .orElse(0);
        }

        String message() {
            String printed = text.lines()
                    .filter(line ->
                            !line.isBlank() && !GENERIC_ERROR.matcher(line).find())
                    .limit(MAX_MESSAGE_LINES)
                    .collect(Collectors.joining(" | "));
            return printed.isEmpty() ? "it ends with code " + exitCode + " and prints nothing" : printed;
        }
    }
}
