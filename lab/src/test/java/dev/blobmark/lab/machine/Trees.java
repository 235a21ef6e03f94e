package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Copies of other machines' /proc and /sys, each kept in one file: {@code == PATH} and the content below it. */
final class Trees {

    private Trees() {}

    /** Unpacks one into an empty directory. */
    static SystemTree unpack(String name, Path root) throws IOException {
        try (InputStream in = Trees.class.getResourceAsStream(name + ".tree")) {
            assertThat(in).as(name).isNotNull();
            String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String file : all.substring(all.indexOf("== ") + 3).split("\n== ")) {
                int end = file.indexOf('\n');
                write(root, file.substring(0, end), file.substring(end + 1));
            }
        }
        return new SystemTree(root);
    }

    static void write(Path root, String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
