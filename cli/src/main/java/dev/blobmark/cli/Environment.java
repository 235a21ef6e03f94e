package dev.blobmark.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the program takes from its environment. */
final class Environment {

    private Environment() {}

    /** Where things are kept that outlive a run and can be made again: unpacked servers, encoded values. */
    static Path cache() {
        return Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                .filter(path -> !path.isEmpty())
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                .resolve("blobmark")
                .toAbsolutePath();
    }

    /** Where programs are looked for. */
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
        return Optional.ofNullable(System.getenv("BLOBMARK_PASSWORD"))
                .or(() -> Optional.ofNullable(System.getenv("MYSQL_PWD")));
    }

    /** The password of a running Redis: the variable of its own client. */
    static Optional<String> redisPassword() {
        return Optional.ofNullable(System.getenv("REDISCLI_AUTH"));
    }

    /** The variables by which the clients of PostgreSQL find a password. */
    static Map<String, String> ofPostgres() {
        return Stream.of("PGPASSWORD", "PGPASSFILE", "HOME")
                .filter(name -> System.getenv(name) != null)
                .collect(Collectors.toMap(name -> name, System::getenv));
    }

    /** Whether colours are unwanted; see no-color.org. */
    static boolean noColor() {
        return !Optional.ofNullable(System.getenv("NO_COLOR")).orElse("").isEmpty();
    }
}
