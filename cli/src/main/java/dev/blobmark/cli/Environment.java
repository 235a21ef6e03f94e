package dev.blobmark.cli;

import java.nio.file.Path;
import java.util.Optional;

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

    /** Whether colours are unwanted; see no-color.org. */
    static boolean noColor() {
        return !Optional.ofNullable(System.getenv("NO_COLOR")).orElse("").isEmpty();
    }
}
