package dev.blobmark.lab.dataset;

import dev.blobmark.lab.study.HomeDirectory;
import dev.blobmark.mysql.table.DatasetException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The user's own files as values: the regular files below a directory, in the order of their paths. Files are never
 * written.
 *
 * <p>Symbolic links below the directory are not followed. Files that are empty, unreadable or longer than a
 * {@code MEDIUMBLOB} are skipped and counted. If there are more than 1,000 files or more than 1 GiB, the values are a
 * random sample that depends on the seed. Files with equal contents are separate values.
 */
final class Directory implements Dataset {

    private final String path;

    /**
     * @param path as the user wrote it: absolute, relative to the working directory, or after {@code ~/} to the user's
     *     home
     */
    Directory(String path) {
        this.path = HomeDirectory.hidden(path);
    }

    @Override
    public String id() {
        return "dir:" + path;
    }

    @Override
    public boolean hasSize() {
        return false;
    }

    @Override
    public boolean isPrivate() {
        return true;
    }

    /**
     * Lists the files, without reading them.
     *
     * @throws DatasetException if the directory is missing or unreadable, has too many files, or none that can be a
     *     value
     */
    @Override
    public Values values(int size, long seed) {
        Walk walk = new Walk(root());
        if (walk.found.isEmpty()) {
            throw new DatasetException(
                    id(),
                    walk.skipped.isEmpty()
                            ? "the directory has no files"
                            : "no file in it can be used as a value (skipped: %s)".formatted(walk.skipped),
                    "put files of 1 to %d bytes there, or name another directory".formatted(OwnValues.MAX_BYTES));
        }
        return new FileValues(walk.found, seed, walk.skipped);
    }

    private Path root() {
        Path root;
        try {
            root = HomeDirectory.path(path);
        } catch (InvalidPathException e) {
            throw new DatasetException(id(), e.getMessage(), "write dir: and the path of a directory", e);
        }
        if (!Files.exists(root)) {
            throw new DatasetException(
                    id(),
                    "there is no " + root.toAbsolutePath().normalize(),
                    DataArgument.similar(path)
                            .map(near -> "did you mean '" + near + "'?")
                            .orElse("name a directory that exists"));
        }
        if (!Files.isDirectory(root)) {
            throw new DatasetException(id(), "it is not a directory", "name the directory that holds the files");
        }
        try {
            return root.toRealPath();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private DatasetException unreadable(IOException e) {
        return new DatasetException(
                id(), "it cannot be read (%s)".formatted(e), "allow this user to list and read it", e);
    }

    @Override
    public String toString() {
        return id();
    }

    /** @param name path below the directory, with slashes on every system, so that the order is the same everywhere */
    private record LocatedFile(Path path, String name, int bytes) implements OwnValues.Located {

        static final Comparator<LocatedFile> BY_NAME = Comparator.comparing(LocatedFile::name);

        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** One pass over the directory. */
    private final class Walk extends SimpleFileVisitor<Path> {

        final List<LocatedFile> found = new ArrayList<>();
        final Map<String, Integer> skipped = new TreeMap<>();
        private final Path root;

        Walk(Path root) {
            this.root = root;
            try {
                Files.walkFileTree(root, this);
            } catch (IOException e) {
                throw unreadable(e);
            }
            found.sort(LocatedFile.BY_NAME);
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isSymbolicLink()) {
                skip("symbolic link");
            } else if (!attributes.isRegularFile()) {
                skip("not a regular file");
            } else if (attributes.size() == 0) {
                skip("empty");
            } else if (attributes.size() > OwnValues.MAX_BYTES) {
                skip("longer than " + OwnValues.MAX_BYTES + " bytes");
            } else if (!Files.isReadable(file)) {
                skip("unreadable");
            } else if (found.size() == OwnValues.MAX_FOUND) {
                throw new DatasetException(
                        id(),
                        "the directory has more than %d files".formatted(OwnValues.MAX_FOUND),
                        "name a smaller directory, or copy a sample of the files into one");
            } else {
                String name = root.relativize(file)
                        .toString()
                        .replace(root.getFileSystem().getSeparator(), "/");
                found.add(new LocatedFile(file, name, (int) attributes.size()));
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (file.equals(root)) {
                throw e;
            }
            skip("unreadable");
            return FileVisitResult.CONTINUE;
        }

        private void skip(String reason) {
            skipped.merge(reason, 1, Integer::sum);
        }
    }

    private final class FileValues extends OwnValues<LocatedFile> {

        FileValues(List<LocatedFile> found, long seed, Map<String, Integer> skipped) {
            super(Directory.this, found, seed, LocatedFile.BY_NAME, skipped);
        }

        @Override
        byte[] read(LocatedFile file) throws IOException {
            try (InputStream in = Files.newInputStream(file.path)) {
                return in.readNBytes(file.bytes + 1);
            }
        }
    }
}
