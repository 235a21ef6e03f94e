package dev.blobmark.lab.server.own;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How the process of a server is started.
 *
 * @param parent parent of the server's directory; if empty, a directory of the cache
 * @param prefix first words of the command, such as {@code taskset -c 0}. That program must replace itself with the
 *     server (exec), so that its process is the server's
 * @param timeout time limit for each step: until the server accepts a login, until its system tables are made, until it
 *     has stopped for a restart
 */
public record ServerLaunch(Optional<Path> parent, List<String> prefix, Duration timeout) {

    /** In the cache, without a prefix, with 3 minutes for each step. */
    public static final ServerLaunch USUAL = new ServerLaunch(Optional.empty(), List.of());

    public ServerLaunch {
        Objects.requireNonNull(parent, "parent");
        prefix = List.copyOf(prefix);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a start time-out of " + timeout + ": it must be positive");
        }
    }

    /** With 3 minutes for each step. */
    public ServerLaunch(Optional<Path> parent, List<String> prefix) {
        this(parent, prefix, Duration.ofMinutes(3));
    }

    Path parent(Path cache) {
        return parent.orElseGet(() -> cache.resolve("servers"));
    }
}
