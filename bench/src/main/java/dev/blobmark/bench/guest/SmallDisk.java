package dev.blobmark.bench.guest;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system of {@value #MIB} MiB that can be filled up if this user may mount one; otherwise a directory. */
final class SmallDisk implements AutoCloseable {

    private static final int MIB = 700;
    private static final int LEFT_BYTES = 256 << 10;

    private final Path path;
    private final boolean isMounted;

    private SmallDisk(Path path, boolean isMounted) {
        this.path = path;
        this.isMounted = isMounted;
    }

    static SmallDisk mount(Path path) throws IOException {
        return new SmallDisk(
                path, run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + MIB + "m", "tmpfs", path.toString()));
    }

    private static boolean run(String... command) throws IOException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    Path path() {
        return path;
    }

    boolean isMounted() {
        return isMounted;
    }

    /** Fills the file system except for 256 KiB. */
    void fill() throws IOException {
        byte[] block = new byte[64 << 10];
        try (OutputStream out = Files.newOutputStream(balloon())) {
            while (path.toFile().getUsableSpace() > LEFT_BYTES) {
                out.write(block);
            }
        }
    }

    void empty() {
        try {
            Files.deleteIfExists(balloon());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path balloon() {
        return path.resolve("balloon");
    }

    @Override
    public void close() throws IOException {
        if (isMounted && !run("umount", path.toString())) {
            run("umount", "-l", path.toString());
        }
    }
}
