package dev.blobmark.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Environment variables, and what they mean. */
final class Variables {

    /** Of a process that has it from another one. */
    private static volatile Optional<String> given = Optional.empty();

    private static volatile Optional<Map<String, Optional<String>>> options = Optional.empty();

    private static volatile Optional<Path> ownCache = Optional.empty();

    private Variables() {}

    /** The cache directory: unpacked servers and encoded values, which outlive a run and can be made again. */
    static Path cache() {
        return ownCache.orElseGet(Variables::usualCache);
    }

    /** Takes the place of the user's cache. */
    static void useCache(Path directory) {
        ownCache = Optional.of(directory);
    }

    private static Path usualCache() {
        return Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                .filter(path -> !path.isEmpty())
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                .resolve("blobmark")
                .toAbsolutePath();
    }

    /** The search path for programs. */
    static List<Path> searchPath() {
        return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(Path::of)
                .toList();
    }

    static Path home() {
        return Path.of(System.getProperty("user.home"));
    }

    /** The password of a running server: Blobmark's own variable, then the one of MySQL's programs. */
    static Optional<String> password() {
        return given.or(() -> Optional.ofNullable(System.getenv("BLOBMARK_PASSWORD")))
                .or(() -> Optional.ofNullable(System.getenv("MYSQL_PWD")));
    }

    /** Takes the place of the variables for the password. */
    static void usePassword(String password) {
        given = Optional.of(password);
    }

    /** Options of connections that this process has from another one, so that it reads no option file. */
    static Optional<Map<String, Optional<String>>> connectionOptions() {
        return options;
    }

    static void useConnectionOptions(Map<String, Optional<String>> known) {
        options = Optional.of(Map.copyOf(known));
    }

    /** Those of the named variables that are set. */
    static Map<String, String> variables(List<String> names) {
        return names.stream()
                .filter(name -> System.getenv(name) != null)
                .collect(Collectors.toMap(name -> name, System::getenv));
    }

    /** The commit of the checkout that the launcher starts from; empty for a release. */
    static Optional<String> checkout() {
        return Optional.ofNullable(System.getProperty("blobmark.commit"));
    }

    /** Columns of the terminal, if the user states them. */
    static OptionalInt columns() {
        String columns = Optional.ofNullable(System.getenv("COLUMNS")).orElse("");
        return columns.matches("[1-9]\\d{0,4}") ? OptionalInt.of(Integer.parseInt(columns)) : OptionalInt.empty();
    }

    /** Whether the locale is one of UTF-8. */
    static boolean isUtf8() {
        return Stream.of("LC_ALL", "LC_CTYPE", "LANG")
                .map(name -> Optional.ofNullable(System.getenv(name)).orElse(""))
                .filter(locale -> !locale.isEmpty())
                .findFirst()
                .filter(locale -> locale.matches("(?i).*utf-?8.*"))
                .isPresent();
    }

    /** Whether the terminal understands no escapes. */
    static boolean isDumb() {
        return "dumb".equals(System.getenv("TERM"));
    }

    /** Whether colours are unwanted; see no-color.org. */
    static boolean noColor() {
        return isDumb()
                || !Optional.ofNullable(System.getenv("NO_COLOR")).orElse("").isEmpty();
    }
}
