package dev.blobmark.lab.server.own;

import dev.blobmark.lab.server.directory.FileGuard;
import dev.blobmark.lab.server.directory.Trees;
import java.io.EOFException;
import java.io.IOException;
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
 * A data directory as a server has just made it, kept so that later servers need not make theirs. It is one ZIP file, synced and
 * then renamed to its name: who finds it finds all of it, and may read on while it is removed or made anew by others.
 *
 * @param file where it is, or will be once a server has made its data directory
 * @param kept the files that another server may begin with, relative to the data directory
 */
record DataTemplate(Path file, Predicate<Path> kept) {

    private static final Logger LOG = LoggerFactory.getLogger(DataTemplate.class);

    /** So many are kept in a cache, those that were used last: of MySQL 9.7.4 one has 3 MB, and 103 MB unpacked. */
    private static final int MOST = 8;

    private static final String UNFINISHED = ".unfinished";

    /** @param contents all that decides what is in the directory */
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
     * Fills an empty directory; false, and nothing in it, if there is no template, or only a damaged one.
     *
     * @throws IOException if the files cannot be written
     */
    boolean unpack(Path data) throws IOException {
        if (!file.toFile().setLastModified(System.currentTimeMillis())) {
            return false;
        }
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path to = data.resolve(entry.getName());
                Files.createDirectories(to.getParent());
                Files.copy(zip, to);
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

    /** Keeps what a server has made. That it cannot be kept is no reason not to go on. */
    Path pack(Path data) {
        try {
            Path directory = Trees.createPrivate(file.getParent());
            return FileGuard.alone(directory.resolve("lock"), () -> {
                removeAll(directory, "*" + UNFINISHED, 0);
                Path unfinished = directory.resolve(file.getFileName() + UNFINISHED);
                write(data, unfinished);
                Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
                removeAll(directory, "*.zip", MOST);
                return file;
            });
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("cannot keep {}, so the next server makes its system tables again: {}", file, e.toString());
            return file;
        }
    }

    private void write(Path data, Path to) throws IOException {
        try (FileChannel channel = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
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

    private static void removeAll(Path directory, String names, int butNewest) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, names)) {
            files.forEach(found::add);
        }
        found.sort(Comparator.comparing(path -> path.toFile().lastModified(), Comparator.reverseOrder()));
        for (Path old : found.subList(Math.min(butNewest, found.size()), found.size())) {
            Files.deleteIfExists(old);
        }
    }
}
