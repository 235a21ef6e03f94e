package dev.blobmark.lab.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What a writer has made in a directory, and may have left there when it was killed. */
final class Remains {

    /** What a writer has made before it writes the manifest. A file that holds anything is a survey's or a run's. */
    private static final Set<String> BEFORE_MANIFEST =
            Set.of(WriteLock.FILE, "latency", "manifest.json.new", "samples.jsonl", "survey.jsonl");

    private Remains() {}

    /** Refuses a directory in which others may replace what a writer has made or continues. */
    static void requireOwn(Path path) throws IOException {
        PrivateFiles.requireOwn(path);
        Path latency = path.resolve("latency");
        for (Path below : List.of(path, latency)) {
            if (Files.isDirectory(below, LinkOption.NOFOLLOW_LINKS)) {
                try (Stream<Path> entries = Files.list(below)) {
                    for (Path entry : entries.filter(Remains::isOfWriter).toList()) {
                        PrivateFiles.requireOwn(entry);
                    }
                }
            }
        }
    }

    private static boolean isOfWriter(Path entry) {
        String name = entry.getFileName().toString();
        return BEFORE_MANIFEST.contains(name)
                || Set.of("manifest.json", "server-logs").contains(name)
                || name.endsWith(".hlog");
    }

    static boolean hasLock(Path path) {
        return Files.exists(path.resolve(WriteLock.FILE), LinkOption.NOFOLLOW_LINKS);
    }

    static void requireUnused(Path path) throws IOException {
        if (!hasOnlyRemains(path)) {
            throw new RunException(
                    path.toString(),
                    "the directory is not empty, and a run is never overwritten",
                    "name another directory, or move this one away");
        }
    }

    /** Whether it is empty, or a writer was killed there before it had written anything that counts. */
    static boolean hasOnlyRemains(Path path) throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            for (Path entry : entries.toList()) {
                String name = entry.getFileName().toString();
                if (!BEFORE_MANIFEST.contains(name) || Files.isSymbolicLink(entry) || isUsed(entry, name)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isUsed(Path entry, String name) throws IOException {
        if (Files.isDirectory(entry)) {
            try (Stream<Path> files = Files.list(entry)) {
                return files.findAny().isPresent();
            }
        }
        return name.endsWith(".jsonl") && Files.size(entry) > 0;
    }

    static void delete(Path path) throws IOException {
        for (String name : BEFORE_MANIFEST) {
            if (!name.equals(WriteLock.FILE)) {
                Files.deleteIfExists(path.resolve(name));
            }
        }
    }
}
