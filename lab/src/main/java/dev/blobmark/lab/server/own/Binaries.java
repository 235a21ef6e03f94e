package dev.blobmark.lab.server.own;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.lab.server.Authentication;
import dev.blobmark.lab.server.ServerException;
import dev.blobmark.lab.server.ServerVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** The files of a product that a private server is made from, and what is particular to it. */
public sealed interface Binaries permits MariaDbBinaries, MysqlBinaries {

    /** It may have to be read from a slow disk. */
    int VERSION_PATIENCE_SECONDS = 30;

    /** Where an installation has its server program, by how distributions and the products' own archives lay it out. */
    List<String> PROGRAMS = List.of(
            "sbin/mariadbd",
            "bin/mariadbd",
            "libexec/mariadbd",
            "bin/mariadbd.exe",
            "sbin/mysqld",
            "bin/mysqld",
            "libexec/mysqld",
            "bin/mysqld.exe");

    /** Installations that are looked at when no place is named and the search path has none. */
    List<String> USUAL_PLACES =
            List.of("/usr", "/usr/local", "/usr/local/mysql", "/opt/mysql", "/opt/homebrew", "/opt/homebrew/opt/mysql");

    /** The base directory. */
    Path base();

    /** The server program. */
    Path server();

    /** Where its messages are, below a directory per language. */
    Path share();

    /**
     * What a server of this product is given besides what all are given.
     *
     * @param bufferPoolBytes a multiple of 1 MiB
     */
    Map<String, String> settings(long bufferPoolBytes);

    /** The words of its configuration that make encryption impossible. */
    List<String> withoutTls();

    /** How it makes its system tables, and reads what to make of them from standard input. */
    List<String> bootstrapArguments();

    /**
     * What it reads then: the system tables where it does not make them by itself, and one account, which is locked as the
     * server's own accounts are.
     *
     * @param account as in SQL, quoted
     */
    String bootstrapSql(String account) throws IOException;

    /**
     * What it reads as an init file at each start on a new port, before it lets anybody in: unlocks the account, with a password that
     * replaces the one before.
     *
     * @param account as in SQL, quoted
     */
    String firstSql(String account, String password);

    /**
     * How the account logs in.
     *
     * @param data the directory of a server that is ready
     * @throws ServerException if the server has no key for it
     */
    Authentication authentication(Path data);

    /**
     * Where a data directory as the bootstrap leaves it is kept for other servers; empty for a product that makes its own as
     * fast as it could be copied.
     *
     * @param settings the server's variables, but those that name places or sizes of memory
     * @param data where the directory is to be
     */
    default Optional<DataTemplate> template(Path cache, Map<String, String> settings, Path data) throws IOException {
        return Optional.empty();
    }

    /**
     * A MySQL or a MariaDB that is installed on this machine.
     *
     * @param place its base directory, such as {@code /usr}, or its server program
     * @throws ServerException if there is none, it does not run, or it is too old
     */
    static Binaries at(Path place) {
        Path absolute = place.toAbsolutePath().normalize();
        if (Files.isDirectory(absolute)) {
            return first(absolute, PROGRAMS)
                    .map(Binaries::ofProgram)
                    .orElseThrow(() -> new ServerException("no MySQL or MariaDB server is installed in " + absolute
                            + ": there is no bin/mysqld, sbin/mysqld, bin/mariadbd or sbin/mariadbd."
                            + " Name the directory that it was installed to, or the server program itself."));
        }
        if (!Files.isExecutable(absolute)) {
            throw new ServerException(absolute + (Files.exists(absolute) ? " cannot be run" : " does not exist")
                    + ". Name the directory that a server was installed to, or the server program itself.");
        }
        return ofProgram(absolute);
    }

    /**
     * The server that is found when no place is named: MySQL before MariaDB, the search path before the usual places.
     *
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @throws ServerException if there is none
     */
    static Binaries find(List<Path> searchPath) {
        List<Path> directories = Stream.concat(
                        searchPath.stream(), USUAL_PLACES.stream().map(Path::of))
                .toList();
        Stream<Path> candidates = Stream.of("mysqld", "mariadbd")
                .flatMap(name -> directories.stream()
                        .flatMap(directory -> Stream.of("", "sbin", "bin", "libexec")
                                .map(below -> directory.resolve(below).resolve(name))));
        return candidates
                .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
                .findFirst()
                .map(Binaries::ofProgram)
                .orElseThrow(() -> new ServerException("found no MySQL or MariaDB server on PATH nor in "
                        + String.join(", ", USUAL_PLACES)
                        + ". Name the directory it was installed to, as in --server mysqld:/opt/mysql."));
    }

    private static Binaries ofProgram(Path program) {
        String version = version(program);
        Path base = base(program);
        return version.contains("MariaDB")
                ? MariaDbBinaries.of(base, program)
                : MysqlBinaries.of(base, program, ServerVersion.parse(version));
    }

    /** A link in a directory of programs leads to an installation elsewhere; that of a distribution is where it is. */
    private static Path base(Path program) {
        return Stream.<Function<Path, Path>>of(Function.identity(), Binaries::real)
                .map(where -> where.apply(program).getParent().getParent())
                .filter(base -> base != null && Files.isDirectory(base.resolve("share")))
                .findFirst()
                .orElseThrow(() -> new ServerException("there is no directory 'share' beside that of " + program
                        + ": a server needs its messages. Name the directory that it was installed to."));
    }

    private static Path real(Path program) {
        try {
            return program.toRealPath();
        } catch (IOException e) {
            return program;
        }
    }

    /** What the program says of itself: {@code mysqld  Ver 9.7.4 for Linux on x86_64 (…)}. */
    private static String version(Path program) {
        try {
            Process process = Subprocess.of(program.toString(), "--no-defaults", "--version")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            // one line, which fits a pipe: it can be read when the program has ended
            boolean ended = process.waitFor(VERSION_PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
                throw new ServerException(program + " --version has told nothing within " + VERSION_PATIENCE_SECONDS
                        + " s. Name another server by --server mysqld:PATH.");
            }
            String said;
            try (InputStream out = process.getInputStream()) {
                said = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
            if (process.exitValue() == 0 && said.contains("Ver ")) {
                return said.substring(said.indexOf("Ver ") + 4);
            }
            throw new ServerException(program + " --version does not tell a version: "
                    + (said.isEmpty() ? "it said nothing" : said)
                    + ". It must be the server program of a MySQL or MariaDB that runs on this machine.");
        } catch (IOException e) {
            throw new ServerException(
                    program + " cannot be run: " + e.getMessage() + ". Name another server by --server mysqld:PATH.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while asking " + program + " for its version", e);
        }
    }

    static Optional<Path> first(Path base, List<String> names) {
        return names.stream().map(base::resolve).filter(Files::isRegularFile).findFirst();
    }
}
