package dev.blobmark.lab.server.own;

import dev.blobmark.lab.machine.Subprocess;
import dev.blobmark.mysql.server.Authentication;
import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.ServerVersion;
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

/** The files of an installed MySQL or MariaDB, and how a private server of that product is set up. */
public sealed interface Binaries permits MariaDbBinaries, MysqlBinaries {

    /** Long enough to read the program from a slow disk. */
    int VERSION_TIMEOUT_SECONDS = 30;

    /** Places of the server program in an installation, as laid out by distributions and the products' archives. */
    List<String> PROGRAMS = List.of(
            "sbin/mariadbd",
            "bin/mariadbd",
            "libexec/mariadbd",
            "bin/mariadbd.exe",
            "sbin/mysqld",
            "bin/mysqld",
            "libexec/mysqld",
            "bin/mysqld.exe");

    /** Installations that are searched if no place is named and the search path has no server. */
    List<String> USUAL_PLACES =
            List.of("/usr", "/usr/local", "/usr/local/mysql", "/opt/mysql", "/opt/homebrew", "/opt/homebrew/opt/mysql");

    /** The base directory. */
    Path base();

    /** The server program. */
    Path server();

    /** The directory of its messages, with a subdirectory per language. */
    Path share();

    /**
     * Settings for servers of this product, in addition to those for all servers.
     *
     * @param bufferPoolBytes a multiple of 1 MiB
     */
    Map<String, String> settings(long bufferPoolBytes);

    /** Lines of the configuration that turn TLS off. */
    List<String> withoutTls();

    /** Arguments with which the server makes its system tables and reads {@link #bootstrapSql} from standard input. */
    List<String> bootstrapArguments();

    /**
     * Statements for the bootstrap. They make the system tables, if the server does not make them by itself, and one
     * account, which stays locked like the server's own accounts.
     *
     * @param account quoted as in SQL
     */
    String bootstrapSql(String account) throws IOException;

    /**
     * Statements of the init file for a start on a new port, executed before the server accepts connections. They
     * unlock the account and replace its password.
     *
     * @param account quoted as in SQL
     */
    String firstSql(String account, String password);

    /**
     * How the account logs in.
     *
     * @param data the data directory of a server that is ready
     * @throws ServerException if the server has made no key for the password
     */
    Authentication authentication(Path data);

    /**
     * A copy of the data directory after the bootstrap, kept for other servers. Empty for a product that makes its data
     * directory as fast as it can be copied.
     *
     * @param settings the server's variables, without those that name places or sizes of memory
     * @param data the future data directory
     */
    default Optional<DataTemplate> template(Path cache, Map<String, String> settings, Path data) throws IOException {
        return Optional.empty();
    }

    /**
     * A MySQL or MariaDB that is installed on this machine.
     *
     * @param place its base directory, such as {@code /usr}, or its server program
     * @throws ServerException if there is no server, it does not run, or it is too old
     */
    static Binaries at(Path place) {
        Path absolute = place.toAbsolutePath().normalize();
        if (Files.isDirectory(absolute)) {
            return first(absolute, PROGRAMS)
                    .map(Binaries::ofProgram)
                    .orElseThrow(() -> new ServerException("no MySQL or MariaDB server is installed in " + absolute
                            + ": there is no bin/mysqld, sbin/mysqld, bin/mariadbd or sbin/mariadbd."
                            + " Name the directory of an installation, or a server program."));
        }
        if (!Files.isExecutable(absolute)) {
            throw new ServerException(absolute + (Files.exists(absolute) ? " cannot be run" : " does not exist")
                    + ". Name the directory of an installation, or a server program.");
        }
        return ofProgram(absolute);
    }

    /**
     * Finds a server if no place is named: MySQL before MariaDB, the search path before the usual places.
     *
     * @param searchPath directories of programs, as in the environment's {@code PATH}
     * @throws ServerException if there is no server
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
                        + ". Name the directory of an installation, as in --server mysqld:/opt/mysql."));
    }

    private static Binaries ofProgram(Path program) {
        String version = version(program);
        Path base = base(program);
        return version.contains("MariaDB")
                ? MariaDbBinaries.of(base, program)
                : MysqlBinaries.of(base, program, ServerVersion.parse(version));
    }

    /** A program of a distribution is in its installation; a link on the search path leads to one elsewhere. */
    private static Path base(Path program) {
        return Stream.<Function<Path, Path>>of(Function.identity(), Binaries::real)
                .map(path -> path.apply(program).getParent().getParent())
                .filter(base -> base != null && Files.isDirectory(base.resolve("share")))
                .findFirst()
                .orElseThrow(() -> new ServerException("there is no directory 'share' next to that of " + program
                        + ": a server needs its messages. Name the directory of the installation."));
    }

    private static Path real(Path program) {
        try {
            return program.toRealPath();
        } catch (IOException e) {
            return program;
        }
    }

    /** The version in the program's output, such as {@code mysqld Ver 9.7.4 for Linux on x86_64 (…)}. */
    private static String version(Path program) {
        try {
            Process process = Subprocess.of(program.toString(), "--no-defaults", "--version")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            // the output is one line, which fits a pipe, so it can be read after the program has ended
            boolean ended = process.waitFor(VERSION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
                throw new ServerException(program + " --version has not ended within " + VERSION_TIMEOUT_SECONDS
                        + " s. Name another server with --server mysqld:PATH.");
            }
            String output;
            try (InputStream out = process.getInputStream()) {
                output = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
            if (process.exitValue() == 0 && output.contains("Ver ")) {
                return output.substring(output.indexOf("Ver ") + 4);
            }
            throw new ServerException(program + " --version does not print a version: "
                    + (output.isEmpty() ? "it printed nothing" : output)
                    + ". Name the server program of a MySQL or MariaDB that runs on this machine.");
        } catch (IOException e) {
            throw new ServerException(
                    program + " cannot be run: " + e.getMessage() + ". Name another server with --server mysqld:PATH.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while reading the version of " + program, e);
        }
    }

    static Optional<Path> first(Path base, List<String> names) {
        return names.stream().map(base::resolve).filter(Files::isRegularFile).findFirst();
    }
}
