package dev.blobmark.lab.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The kinds of server that a run can be given. */
public final class Servers {

    /**
     * A kind of server, for the list of them.
     *
     * @param form how it is named on the command line
     * @param description what it is, in one line
     */
    public record Kind(String form, String description) {}

    /** Where a run's server is to come from. */
    public interface Source {

        /** Starts the server, or connects to it. */
        Server open(Path cache, EmbeddedServer.Options options);

        /** Whether it starts a server for the run, which can then be as a trial needs it. */
        default boolean startsOne() {
            return true;
        }
    }

    /** A server of Blobmark's own, from the MariaDB that comes with it or from an installation. */
    public record Embedded(Optional<Path> baseDirectory) implements Source {
        @Override
        public EmbeddedServer open(Path cache, EmbeddedServer.Options options) {
            return EmbeddedServer.start(cache, options.withBaseDirectory(baseDirectory));
        }
    }

    private static final List<Kind> KINDS = List.of(
            new Kind(
                    "embedded",
                    "a MariaDB that comes with Blobmark, started for the run and deleted after it (the default)"),
            new Kind("embedded:DIR", "the same, from the MariaDB that is installed in DIR, such as /usr"));

    private Servers() {}

    public static List<Kind> kinds() {
        return KINDS;
    }

    /**
     * Reads what {@code --server} was given.
     *
     * @throws IllegalArgumentException if it names no kind of server
     */
    public static Source parse(String text) {
        if (text.equals("embedded")) {
            return new Embedded(Optional.empty());
        }
        if (text.startsWith("embedded:") && text.length() > "embedded:".length()) {
            return new Embedded(
                    Optional.of(Path.of(text.substring("embedded:".length())).toAbsolutePath()));
        }
        throw new IllegalArgumentException("'" + text + "' names no server: use "
                + String.join(" or ", KINDS.stream().map(Kind::form).toList()));
    }
}
