package dev.blobmark.lab.server.own;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The file to which all processes of a server print. */
public record ServerLog(Path file) {

    private static final int LINES_SHOWN = 20;

    long bytes() throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    String since(long offset) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(offset);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The last 20 lines; none if there is no file. */
    public List<String> lastLines() throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        List<String> lines = since(0).lines().toList();
        return lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size());
    }
}
