package dev.blobmark.bench.guest;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Two servers of a product and a workbench, in a directory below target, so that other servers are not affected. */
record Fixture(Pair pair, Workbench bench) implements AutoCloseable {

    static Fixture open(Product product, Optional<Path> mysql, Path root, String name)
            throws IOException, InterruptedException {
        Path scratch = root.resolve("target").resolve(name).resolve(product.id());
        delete(scratch);
        Files.createDirectories(scratch);
        // the programs of the embedded server are unpacked once for both products
        Path cache = root.resolve("target").resolve(name).resolve("servers");
        Pair pair = new Pair(product, mysql, cache, scratch, Documents.read(root, "docs/guest.md"));
        // otherwise, servers would outlive this JVM; closing them twice is harmless
        Runtime.getRuntime().addShutdownHook(new Thread(() -> closed(pair), "close-" + product.id()));
        try {
            pair.restore(false);
            return new Fixture(pair, new Workbench(pair, new BlobmarkProcess.Home(root, scratch)));
        } catch (Exception e) {
            pair.close();
            throw new IOException("cannot set up the servers: " + e.getMessage(), e);
        }
    }

    /** Deletes what an earlier start has left, also in a file system that it mounted. */
    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> paths = Files.walk(directory)) {
            all = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            if (Files.isDirectory(path)) {
                try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                    if (entries.iterator().hasNext()) {
                        continue;
                    }
                }
            }
            try {
                Files.delete(path);
            } catch (IOException mounted) {
                // a mount point of an earlier start
            }
        }
    }

    private static void closed(Pair pair) {
        try {
            pair.close();
        } catch (IOException e) {
            System.err.println("bench: " + e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        pair.close();
    }
}
