package dev.blobmark.lab.dataset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The user's own files as values: the regular files below a directory, in the order of their paths. Files are only read.
 *
 * <p>Symbolic links below the directory are not followed; files that are empty, unreadable or longer than a {@code
 * MEDIUMBLOB} are left out and counted. Of more than {@value #MAX_COUNT} files, or more than 1 GiB, a sample drawn with the
 * seed is taken. Files with equal contents stay separate values.
 */
final class Directory implements Dataset {

    /** What a {@code MEDIUMBLOB} holds at most, in bytes. */
    private static final int MAX_FILE_BYTES = (1 << 24) - 1;

    private static final int MAX_COUNT = 1_000;
    private static final long MAX_TOTAL_BYTES = 1L << 30;

    /** Bounds the memory that a walk may take: about 200 bytes each. */
    private static final int MAX_FOUND = 1_000_000;

    private final String path;

    /** @param path as the user wrote it, relative to the working directory or absolute */
    Directory(String path) {
        this.path = path;
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
     * Lists the files; reads none yet.
     *
     * @throws DatasetException if the directory is missing, unreadable, too large to walk, or has no file that can be a value
     */
    @Override
    public Values values(int size, long seed) {
        Walk walk = new Walk(root());
        if (walk.found.isEmpty()) {
            throw new DatasetException(
                    id(),
                    walk.skipped.isEmpty()
                            ? "the directory has no files"
                            : "no file in it can be a value (skipped: %s)".formatted(walk.skipped),
                    "put files of 1 to %d bytes there, or name another directory".formatted(MAX_FILE_BYTES));
        }
        List<Found> chosen = sample(walk.found, seed);
        if (chosen.size() < walk.found.size()) {
            walk.skipped.put("beyond the sample", walk.found.size() - chosen.size());
        }
        return new FileValues(chosen, walk.skipped);
    }

    private Path root() {
        Path root;
        try {
            root = Path.of(path);
        } catch (InvalidPathException e) {
            throw new DatasetException(id(), e.getMessage(), "write dir: and the path of a directory", e);
        }
        if (!Files.exists(root)) {
            throw new DatasetException(
                    id(), "there is no " + root.toAbsolutePath().normalize(), "name a directory that exists");
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

    private static List<Found> sample(List<Found> found, long seed) {
        if (found.size() <= MAX_COUNT && found.stream().mapToLong(Found::bytes).sum() <= MAX_TOTAL_BYTES) {
            return found;
        }
        UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {seed, found.size()});
        List<Found> rest = new ArrayList<>(found);
        List<Found> chosen = new ArrayList<>();
        long total = 0;
        while (chosen.size() < MAX_COUNT && !rest.isEmpty()) {
            int last = rest.size() - 1;
            Found next = rest.set((int) Long.remainderUnsigned(random.nextLong(), rest.size()), rest.get(last));
            rest.remove(last);
            total += next.bytes;
            if (total > MAX_TOTAL_BYTES) { // to go on with smaller ones would bend the distribution
                break;
            }
            chosen.add(next);
        }
        chosen.sort(Found.BY_NAME);
        return chosen;
    }

    @Override
    public String toString() {
        return id();
    }

    /** @param name the path below the directory, with slashes on every system, so that the order is the same everywhere */
    private record Found(Path path, String name, int bytes) {

        static final Comparator<Found> BY_NAME = Comparator.comparing(Found::name);
    }

    /** One pass over the directory. */
    private final class Walk extends SimpleFileVisitor<Path> {

        final List<Found> found = new ArrayList<>();
        final Map<String, Integer> skipped = new TreeMap<>();
        private final Path root;

        Walk(Path root) {
            this.root = root;
            try {
                Files.walkFileTree(root, this);
            } catch (IOException e) {
                throw unreadable(e);
            }
            found.sort(Found.BY_NAME);
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isSymbolicLink()) {
                skip("symbolic link");
            } else if (!attributes.isRegularFile()) {
                skip("not a regular file");
            } else if (attributes.size() == 0) {
                skip("empty");
            } else if (attributes.size() > MAX_FILE_BYTES) {
                skip("longer than " + MAX_FILE_BYTES + " bytes");
            } else if (!Files.isReadable(file)) {
                skip("unreadable");
            } else if (found.size() == MAX_FOUND) {
                throw new DatasetException(
                        id(),
                        "there are more than %d files below it".formatted(MAX_FOUND),
                        "name a smaller directory, or copy a sample of the files into one");
            } else {
                String name = root.relativize(file)
                        .toString()
                        .replace(root.getFileSystem().getSeparator(), "/");
                found.add(new Found(file, name, (int) attributes.size()));
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

    /** Remembers what each file held when it was first read, and refuses one that has changed since. */
    private final class FileValues extends DigestedValues {

        private final List<Found> files;
        private final Map<String, Integer> skipped;
        private final AtomicReferenceArray<byte[]> firstDigests;

        FileValues(List<Found> files, Map<String, Integer> skipped) {
            this.files = List.copyOf(files);
            this.skipped = Map.copyOf(skipped);
            firstDigests = new AtomicReferenceArray<>(files.size());
        }

        @Override
        public int count() {
            return files.size();
        }

        @Override
        public int length(int index) {
            return files.get(index).bytes;
        }

        /** @throws DatasetException if the file cannot be read, or is not what it was when listed or first read */
        @Override
        public byte[] get(int index) {
            Found file = files.get(index);
            byte[] value;
            try (InputStream in = Files.newInputStream(file.path)) {
                value = in.readNBytes(file.bytes + 1);
            } catch (IOException e) {
                throw new DatasetException(
                        file.path,
                        "it cannot be read (%s)".formatted(e),
                        "allow this user to read it, and leave the files of %s alone during a run".formatted(id()),
                        e);
            }
            byte[] digest = DigestedValues.sha256().digest(value);
            byte[] first = firstDigests.compareAndExchange(index, null, digest);
            if (value.length != file.bytes || first != null && !MessageDigest.isEqual(first, digest)) {
                throw new DatasetException(
                        file.path,
                        "it has changed since it was first looked at",
                        "leave the files of %s alone during a run, or name a copy of them".formatted(id()));
            }
            return value;
        }

        @Override
        public SizeDistribution sizes() {
            return SizeDistribution.of(files.stream().mapToInt(Found::bytes).toArray(), skipped);
        }
    }
}
