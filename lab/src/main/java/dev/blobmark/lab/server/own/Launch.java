package dev.blobmark.lab.server.own;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How the process of a server is started.
 *
 * @param parent where the server's directory is made; if empty, in the cache
 * @param prefix first words of its commands, such as {@code taskset -c 0}: that program must replace itself by the server (exec), so
 *     that its process is the server's
 * @param patience how long the server may take for each step: until it accepts a login, until its system tables are made, until it has
 *     stopped to be started again
 */
public record Launch(Optional<Path> parent, List<String> prefix, Duration patience) {

    /** In the cache, without a prefix, and with 3 minutes for each step. */
    public static final Launch USUAL = new Launch(Optional.empty(), List.of());

    public Launch {
        Objects.requireNonNull(parent, "parent");
        prefix = List.copyOf(prefix);
        if (patience.isNegative() || patience.isZero()) {
            throw new IllegalArgumentException("a start time-out of " + patience + ": it must be positive");
        }
    }

    /** With 3 minutes for each step. */
    public Launch(Optional<Path> parent, List<String> prefix) {
        this(parent, prefix, Duration.ofMinutes(3));
    }

    Path parent(Path cache) {
        return parent.orElseGet(() -> cache.resolve("servers"));
    }
}
