package dev.blobmark.lab.server.own;

import dev.blobmark.mysql.server.directory.FileGuard;
import dev.blobmark.mysql.server.directory.Ownership;
import dev.blobmark.mysql.server.directory.Trees;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of a data directory that a server has just made, from which later servers start. It is a ZIP file that is
 * synced and then renamed, so it is always complete. A reader can continue while another process removes or replaces
 * it.
 *
 * @param file the ZIP file, which may not exist yet
 * @param kept accepts the files to copy, relative to the data directory
 */
record DataTemplate(Path file, Predicate<Path> kept) {

    private static final Logger LOG = LoggerFactory.getLogger(DataTemplate.class);

    /** Templates kept in a cache, those used last. One of MySQL 9.7.4 has 3 MB, and 103 MB unpacked. */
    private static final int MAX_KEPT = 8;

    private static final String UNFINISHED = ".unfinished";

    /** @param contents everything that determines the contents of the directory */
    static DataTemplate of(Path cache, List<String> contents, Predicate<Path> kept) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(String.join("\0", contents).getBytes(StandardCharsets.UTF_8));
            return new DataTemplate(
                    cache.resolve("templates").resolve(HexFormat.of().formatHex(digest, 0, 16) + ".zip"), kept);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /**
     * Fills an empty directory.
     *
     * @return false if there is no template or it is damaged; the directory is empty then
     * @throws IOException if the files cannot be written
     */
    boolean unpack(Path data) throws IOException {
        if (!Files.exists(file) || isOfOthers() || !file.toFile().setLastModified(System.currentTimeMillis())) {
            return false;
        }
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path target = data.resolve(entry.getName());
                Trees.createPrivate(target.getParent());
                Trees.copyPrivate(zip, target, false);
            }
            return true;
        } catch (ZipException | EOFException damaged) {
            LOG.warn("{} is damaged and will be made again: {}", file, damaged.toString());
            Files.deleteIfExists(file);
            Trees.delete(data);
            Files.createDirectory(data);
            return false;
        } catch (NoSuchFileException removedMeanwhile) {
            return false;
        }
    }

    private boolean isOfOthers() throws IOException {
        Optional<String> problem = Ownership.problem(file);
        problem.ifPresent(what -> LOG.warn("{} will be made again: {}", file, what));
        return problem.isPresent();
    }

    /** Copies a data directory to the template. A failure is only logged, because the server does not need it. */
    Path pack(Path data) {
        try {
            Path directory = Trees.createPrivate(file.getParent());
            return FileGuard.alone(directory.resolve("lock"), () -> {
                removeAll(directory, "*" + UNFINISHED, 0);
                Path unfinished = directory.resolve(file.getFileName() + UNFINISHED);
                write(data, unfinished);
                Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
                removeAll(directory, "*.zip", MAX_KEPT);
                return file;
            });
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("cannot write {}; the next server makes its system tables again: {}", file, e.toString());
            return file;
        }
    }

    private void write(Path data, Path to) throws IOException {
        Trees.copyPrivate(InputStream.nullInputStream(), to, false);
        try (FileChannel channel = FileChannel.open(to, StandardOpenOption.WRITE);
                OutputStream out = Channels.newOutputStream(channel);
                ZipOutputStream zip = new ZipOutputStream(out);
                Stream<Path> files = Files.walk(data)) {
            zip.setLevel(Deflater.BEST_SPEED);
            for (Path path : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                Path name = data.relativize(path);
                if (kept.test(name)) {
                    zip.putNextEntry(new ZipEntry(name.toString()));
                    Files.copy(path, zip);
                }
            }
            zip.finish();
            channel.force(true);
        }
    }

    private static void removeAll(Path directory, String names, int newestKept) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, names)) {
            files.forEach(found::add);
        }
        found.sort(Comparator.comparing(path -> path.toFile().lastModified(), Comparator.reverseOrder()));
        for (Path old : found.subList(Math.min(newestKept, found.size()), found.size())) {
            Files.deleteIfExists(old);
        }
    }
}
